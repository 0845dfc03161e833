// SPDX-License-Identifier: MIT

import Foundation
public import SecretStoreCache

/// How the URL that the desktop opens reaches the process that waits for it.
///
/// The desktop starts the app's program anew for each URL. The new process posts the URL to a pipe in the
/// user's runtime directory, which nobody else can look into, and ends. An app that is activated over D-Bus
/// needs none of this.
public final class Mailbox: Sendable {
  private let file: Int32

  /// Opens an app's mailbox, to wait for a URL.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - folder: A folder that nobody else can look into; the user's runtime directory unless given.
  /// - Throws: ``SignInError`` when another sign-in of the app is under way, or there is no such folder.
  public init(of app: AppIdentifier, in folder: String? = nil) throws(SignInError) {
    let path = try Self.path(of: app, in: folder)
    guard unsafe mkfifo(path, 0o600) == 0 || errno == EEXIST else { throw .noMailbox }
    // Open for both, so that it has no end when whoever posted is gone.
    file = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .noMailbox }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw .alreadyWaiting
    }
    while !read().isEmpty {}  // what was posted too late for the last sign-in
  }

  deinit { close(file) }

  /// Posts a URL to the process that waits for it.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived.
  ///   - app: The app that it was opened with.
  ///   - folder: As for ``init(of:in:)``.
  /// - Throws: ``SignInError`` when none does.
  public static func post(_ url: String, to app: AppIdentifier, in folder: String? = nil) throws(SignInError)
  {
    let letter = Array(url.utf8.filter { $0 != UInt8(ascii: "\n") }) + [UInt8(ascii: "\n")]
    guard letter.count <= 65_536 else { throw .notExpected }
    let file = unsafe open(try path(of: app, in: folder), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .notExpected }
    defer { close(file) }
    let count = unsafe letter.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard count == letter.count else { throw .notExpected }
  }

  /// Waits for the answer to a sign-in and passes over every other URL.
  ///
  /// - Parameters:
  ///   - redirects: Knows the answer.
  ///   - app: The app.
  ///   - onStray: Called with why a URL was passed over.
  func answer(
    by redirects: RedirectHandler, for app: AppIdentifier, onStray: @Sendable (String) -> Void
  ) async throws -> AuthorizationAnswer {
    var pending: [UInt8] = []
    while true {
      pending += read()
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
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func read() -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe Foundation.read(file, $0.baseAddress, $0.count) }
    return Array(chunk[..<max(0, count)])
  }

  private static func path(of app: AppIdentifier, in folder: String?) throws(SignInError) -> String {
    let folder = folder ?? ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
    guard let folder, folder.hasPrefix("/") else { throw .noMailbox }
    return "\(folder)/\(app).sign-in"
  }
}
