// SPDX-License-Identifier: MIT

extension Character {
  /// The number of terminal columns that the character occupies.
  ///
  /// Wide characters (Unicode Standard Annex 11), such as Chinese, Japanese and Korean ones and emoji, occupy two.
  /// Combining marks occupy none.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) {
      return 2
    }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FB,
    0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// The number of terminal columns that the text occupies.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the longest prefix that fits into a number of columns.
  func prefix(columns limit: Int) -> String {
    var rest = limit
    return String(
      prefix { character in
        rest -= character.columns
        return rest >= 0
      })
  }
}
