// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// Commands of the `sso-cache` tool that remedies name.
package enum ToolCommand {
  /// Returns a command on one group, with the options that identify the group.
  package static func on(_ group: AccessGroup, _ command: String) -> String {
    let publisher = group.publisher.map { " --publisher \($0)" } ?? ""
    return "sso-cache \(command) --group \(group.name)\(publisher)"
  }

  /// Returns the command that makes all repairs of a group that lose no data.
  package static func fix(_ group: AccessGroup) -> String { on(group, "doctor --fix") }

  /// The command that unlocks or creates gnome-keyring's login keyring with a prompt.
  static let makeLogin = "sso-cache group unlock --prompt"
}
