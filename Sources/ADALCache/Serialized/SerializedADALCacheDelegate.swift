// SPDX-License-Identifier: MIT

/// The storage of a cache that an app serializes itself, with the callbacks of ADAL and MSAL for macOS.
///
/// ```swift
/// struct Blob: SerializedADALCacheDelegate {
///   func willAccess(_ cache: SerializedADALCache) async throws { try await cache.load(readFile()) }
///   func willWrite(_ cache: SerializedADALCache) async throws { try await cache.load(readFile()) }
///   func didWrite(_ cache: SerializedADALCache) async throws { try await writeFile(cache.serialized()) }
/// }
/// ```
///
/// Calls never overlap. Each `will…` that did not throw is followed by its `did…`, even when an error prevented a
/// change. An error from a method is thrown by the call to the back end, unless that call has already failed.
public protocol SerializedADALCacheDelegate: Sendable {
  /// Called before the cache is read: load what is stored now.
  func willAccess(_ cache: SerializedADALCache) async throws
  /// Called after the cache was read.
  func didAccess(_ cache: SerializedADALCache) async throws
  /// Called before the cache is changed: load what is stored now, and keep others from changing it.
  func willWrite(_ cache: SerializedADALCache) async throws
  /// Called after the cache was changed: store it.
  func didWrite(_ cache: SerializedADALCache) async throws
}

extension SerializedADALCacheDelegate {
  /// Does nothing.
  public func didAccess(_ cache: SerializedADALCache) async throws {}
}
