// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Detection of tokens that a server repeats in other members of its response.
extension String {
  /// Returns whether the text contains one of the tokens.
  ///
  /// Tokens shorter than 8 bytes are ignored.
  func hasToken(among tokens: [String]) -> Bool {
    let count = utf8.count
    return tokens.contains { $0.utf8.count >= 8 && count >= $0.utf8.count && contains($0) }
  }

  /// Returns whether the text contains one of the tokens, or is a part of one of at least 24 bytes.
  func repeats(any tokens: [String]) -> Bool {
    let count = utf8.count
    return hasToken(among: tokens)
      || count >= 24 && tokens.contains { $0.utf8.count >= count && $0.contains(self) }
  }
}
