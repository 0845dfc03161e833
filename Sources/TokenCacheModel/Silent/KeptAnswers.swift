// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The tokens that were chosen from one record as it was read.
///
/// The record does not change, so a choice holds for as long as the token is fresh. An app asks the same few questions
/// again and again, and to read the record once more takes ten times as long as to remember the answer.
final class KeptAnswers: Sendable {
  private struct Kept {
    let question: SilentQuestion
    let result: TokenResult
    /// When the token is fresh.
    let times: Range<Date>
  }

  private let kept = Locked<[Kept]>([])

  /// How many questions are remembered.
  private static let limit = 8

  /// The answer that was given before, if it still is one.
  func answer(to question: SilentQuestion, at now: Date) -> TokenResult? {
    kept.withLock { kept in
      kept.first { $0.question == question && $0.times.contains(now) }?.result
    }
  }

  /// Remembers an answer, in the place of the oldest one where there are many.
  func remember(_ result: TokenResult, to question: SilentQuestion, while times: Range<Date>) {
    kept.withLock { kept in
      kept.removeAll { $0.question == question }
      kept = kept.suffix(Self.limit - 1) + [Kept(question: question, result: result, times: times)]
    }
  }
}

extension KeptAnswers: CustomReflectable {
  /// Shows nothing.
  var customMirror: Mirror { Mirror(self, children: []) }
}
