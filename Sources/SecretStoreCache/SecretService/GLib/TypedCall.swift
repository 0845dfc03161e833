// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// A pending call with the type of its outcome.
@safe final class TypedCall<Output: Sendable>: PendingCall, @unchecked Sendable {
  private let finish: (AsyncAnswer) throws -> Output
  private let pending = Pending<Output>()
  private let timer = Locked<GLibTimer?>(nil)

  init(finish: @escaping (AsyncAnswer) throws -> Output) {
    self.finish = finish
  }

  override func complete(_ answer: AsyncAnswer) {
    do {
      end(with: .success(try finish(answer)))
    } catch {
      end(with: .failure(error))
    }
  }

  /// Ends the call, unless it has ended.
  func end(with result: Result<Output, any Error>) {
    timer.withLock { $0.take() }?.cancel()
    pending.end(with: result)
  }

  /// Ends the call early and tells GLib to give up.
  ///
  /// The answer, should it come, is dropped.
  func abandon(_ error: any Error) {
    // In this order: GLib answers a cancelled call with an error of its own, which must not come first.
    end(with: .failure(error))
    GLibThread.shared.perform { unsafe g_cancellable_cancel(self.cancellable) }
  }

  /// Waits for the end.
  func wait(limit: Duration) async throws -> Output {
    let timer = GLibThread.shared.perform(after: limit) { [weak self] in
      self?.abandon(SecretStoreError.noAnswerInTime)
    }
    self.timer.withLock { $0 = timer }
    defer { self.timer.withLock { $0.take() }?.cancel() }
    return try await pending.value()
  }
}
