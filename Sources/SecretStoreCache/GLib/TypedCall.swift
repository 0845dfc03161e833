// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// A pending call with a typed outcome.
@safe final class TypedCall<Output: Sendable>: PendingCall, @unchecked Sendable {
  private let finish: (AsyncReply) throws -> Output
  private let pending = Pending<Output>()
  private let timer = Locked<GLibTimer?>(nil)

  init(finish: @escaping (AsyncReply) throws -> Output) {
    self.finish = finish
  }

  override func complete(_ reply: AsyncReply) {
    do {
      end(with: .success(try finish(reply)))
    } catch {
      end(with: .failure(error))
    }
  }

  /// Ends the call, unless it has ended.
  func end(with result: Result<Output, any Error>) {
    timer.withLock { $0.take() }?.cancel()
    pending.end(with: result)
  }

  /// Ends the call early and cancels it in GLib; a later reply is ignored.
  func abandon(_ error: any Error) {
    // Set the error first: GLib ends a cancelled call with an error of its own.
    end(with: .failure(error))
    GLibThread.shared.perform { unsafe g_cancellable_cancel(self.cancellable) }
  }

  /// Waits for the outcome.
  ///
  /// - Throws: `timedOut` when the limit passes.
  func wait(limit: Duration) async throws -> Output {
    let timer = GLibThread.shared.perform(after: limit) { [weak self] in
      self?.abandon(SecretStoreError.replyTimedOut)
    }
    self.timer.withLock { $0 = timer }
    defer { self.timer.withLock { $0.take() }?.cancel() }
    return try await pending.value()
  }
}
