// SPDX-License-Identifier: MIT

/// Where an app keeps the cache that it serialises itself: what ADAL and MSAL for macOS tell such an app.
///
/// ```swift
/// struct Blob: SerializedADALCacheDelegate {
///   func willAccess(_ cache: SerializedADALCache) async throws { try await cache.load(readFile()) }
///   func willWrite(_ cache: SerializedADALCache) async throws { try await cache.load(readFile()) }
///   func didWrite(_ cache: SerializedADALCache) async throws { try await writeFile(cache.serialized()) }
/// }
/// ```
///
/// Calls come one at a time, and after each `will…` that did not throw comes its `did…`, even when nothing was changed
/// because of an error. What a method throws, the call that it belongs to throws.
public protocol SerializedADALCacheDelegate: Sendable {
  /// The cache is about to be read: load what is stored now.
  func willAccess(_ cache: SerializedADALCache) async throws
  /// The cache was read.
  func didAccess(_ cache: SerializedADALCache) async throws
  /// The cache is about to be changed: load what is stored now, and keep others from changing it.
  func willWrite(_ cache: SerializedADALCache) async throws
  /// The cache was changed: store it.
  func didWrite(_ cache: SerializedADALCache) async throws
}

extension SerializedADALCacheDelegate {
  /// Does nothing.
  public func didAccess(_ cache: SerializedADALCache) async throws {}
}
