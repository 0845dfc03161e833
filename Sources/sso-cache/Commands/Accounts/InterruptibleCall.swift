// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// A silent call that a signal ends only before its refresh token is sent, or after the response is saved.
struct InterruptibleCall {
  /// Whether standard error is for a program.
  let isQuiet: Bool

  /// Runs the call.
  ///
  /// The signals of `EndingSignal` cancel its task. What the call has sent by then is awaited and saved: the new
  /// refresh token replaces one that may be spent.
  ///
  /// - Throws: ``InterruptedWork`` when a signal arrived, whatever the outcome of the call; otherwise its error.
  func run(_ call: @escaping @Sendable () async throws -> TokenResult) async throws -> TokenResult {
    let signals = EndingSignals(endsAtSecond: false)
    defer { signals.end() }
    let work = Task { try await call() }
    let watch = Task {
      while EndingSignals.arrived == nil { try await Task.sleep(for: .milliseconds(50)) }
      work.cancel()
      try await Task.sleep(for: .milliseconds(500))
      if isQuiet { return }
      Printer.error("sso-cache: waiting for the authority, so that the sign-in is not lost\n")
    }
    let result = await work.result
    watch.cancel()
    if let signal = EndingSignals.arrived {
      let unsaved = Self.unsaved(result)
      throw InterruptedWork(
        signal: signal, done: unsaved?.consequence ?? Self.saved(result),
        remedy: unsaved?.remedy(in: Invocation.group) ?? "")
    }
    return try result.get()
  }

  /// Returns the response that could not be saved; `nil` when there is none.
  private static func unsaved(_ result: Result<TokenResult, any Error>) -> TokenResult.Unsaved? {
    switch result {
    case .success(let token): token.unsaved
    case .failure(let error): (error as? SecretStoreError)?.unsaved
    }
  }

  /// Returns what became of the response; `nil` when there was none, or it had no token for the call.
  private static func saved(_ result: Result<TokenResult, any Error>) -> String? {
    guard case .success(let token) = result, token.source == .refresh else { return nil }
    return "the new token is in the cache"
  }
}
