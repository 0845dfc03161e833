// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Commands of the tool as remedies name them.
enum ToolCommand {
  /// A command on one group, with the options that name it.
  static func on(_ group: AccessGroup, _ command: String) -> String {
    let publisher = group.publisher.map { " --publisher \($0)" } ?? ""
    return "sso-cache \(command) --group \(group.name)\(publisher)"
  }

  /// The command that mends what can be mended without a loss.
  static func fix(_ group: AccessGroup) -> String { on(group, "doctor --fix") }

  /// A word as a shell takes it.
  static func quoted(_ word: String) -> String {
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
}
