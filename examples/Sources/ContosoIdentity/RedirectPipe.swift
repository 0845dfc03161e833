// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
public import SecretStoreCache

/// A named pipe that passes the URL that the desktop opens to the process that waits for it.
///
/// The desktop starts a new process of the app for each URL. The new process writes the URL to a pipe in the user's
/// runtime directory, which no other user can read, and ends. An app that is activated over D-Bus does not need this.
public final class RedirectPipe: Sendable {
  private let file: Int32

  /// Opens an app's pipe to wait for a URL.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - folder: A folder that no other user can read; by default the user's runtime directory.
  /// - Throws: ``SignInError`` when another sign-in of the app is in progress, or when the folder does not exist.
  public init(of app: AppIdentifier, in folder: String? = nil) throws(SignInError) {
    let path = try Self.path(of: app, in: folder)
    guard unsafe mkfifo(path, 0o600) == 0 || errno == EEXIST else { throw .noRuntimeDirectory }
    // The pipe is also open for writing, so that it has no end when a writer closes it.
    file = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .noRuntimeDirectory }
    // `deinit` closes the file also when an error is thrown here.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw .alreadyWaiting }
    while !read().isEmpty {}  // Discards URLs that arrived too late for the last sign-in.
  }

  deinit { close(file) }

  /// Sends a URL to the process that waits for it.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived.
  ///   - app: The app that it was opened with.
  ///   - folder: The same folder as for ``init(of:in:)``.
  /// - Throws: ``SignInError`` when no process waits.
  public static func send(_ url: String, to app: AppIdentifier, in folder: String? = nil) throws(SignInError)
  {
    let line = Array(url.utf8.filter { $0 != UInt8(ascii: "\n") }) + [UInt8(ascii: "\n")]
    guard line.count <= 65_536 else { throw .notExpected }
    let file = unsafe open(try path(of: app, in: folder), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .notExpected }
    defer { close(file) }
    let count = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard count == line.count else { throw .notExpected }
  }

  /// Waits for the authorization response and ignores all other URLs.
  ///
  /// - Parameters:
  ///   - redirects: The handler that recognizes the response.
  ///   - app: The app.
  ///   - onStray: A function that is called with the reason when a URL is ignored.
  func response(
    by redirects: RedirectHandler, for app: AppIdentifier, onStray: @Sendable (String) -> Void
  ) async throws -> AuthorizationResponse {
    var pending: [UInt8] = []
    for await chunk in arrivals {
      pending += chunk
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let url = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        do throws(SecretStoreError) {
          return try await redirects.handleRedirect(url, for: app)
        } catch {
          guard error.code == .invalidRedirectURI else { throw error }
          onStray(error.detail)
        }
      }
    }
    throw CancellationError()
  }

  /// What is written into the pipe, as it arrives.
  ///
  /// It ends only when the task is cancelled. Until then it keeps the pipe open.
  private var arrivals: AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      // A source can be cancelled on any thread.
      nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: file, queue: .global())
      unsafe source.setEventHandler { continuation.yield(self.read()) }
      unsafe source.setCancelHandler { withExtendedLifetime(self) {} }
      continuation.onTermination = { _ in unsafe source.cancel() }
      unsafe source.resume()
    }
  }

  private func read() -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe Foundation.read(file, $0.baseAddress, $0.count) }
    return Array(chunk[..<max(0, count)])
  }

  private static func path(of app: AppIdentifier, in folder: String?) throws(SignInError) -> String {
    let folder = folder ?? ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
    guard let folder, folder.hasPrefix("/") else { throw .noRuntimeDirectory }
    return "\(folder)/\(app).sign-in"
  }
}
