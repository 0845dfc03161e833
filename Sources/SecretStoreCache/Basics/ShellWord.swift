// SPDX-License-Identifier: MIT

/// Words of shell commands that messages tell the user to run.
package enum ShellWord {
  /// Returns a word quoted for a shell.
  ///
  /// A word with characters that no terminal shows is written with their codes, as bash, zsh and ksh understand it.
  package static func quoted(_ word: String) -> String {
    if word.unicodeScalars.contains(where: isHidden) {
      return "$'\(word.unicodeScalars.map(escaped).joined())'"
    }
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+:=@%,".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }

  /// Returns a name, quoted for a shell, to which a command can move a file or folder aside: no file has it.
  package static func aside(_ path: String) -> String {
    let names = (1...).lazy.map { $0 == 1 ? "\(path).aside" : "\(path).aside-\($0)" }
    let free = names.first { FileReader().information($0, followsLink: false) == nil }
    return quoted(free ?? "\(path).aside")
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
    guard isHidden(scalar) else { return String(scalar) }
    // The bytes, because \u depends on the locale. Three digits, so that none that follows is taken for one of them.
    return scalar.utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }
}
