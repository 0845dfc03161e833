// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// Commands of the `sso-cache` tool that messages tell the user to run, quoted for a shell.
package enum ToolCommand {
  /// Returns a command on one group, with the options that identify the group.
  package static func on(_ group: AccessGroup, _ command: String) -> String {
    "sso-cache \(command) \(option("group", group.name))\(publisher(of: group))"
  }

  /// Returns the command that makes all repairs of a group that lose no data.
  package static func fix(_ group: AccessGroup) -> String { on(group, "doctor --fix") }

  /// Returns the command that copies a group without a publisher into a publisher's group.
  package static func copy(_ group: AccessGroup, into other: AccessGroup) -> String {
    "sso-cache group copy \(option("from", group.name)) \(option("to", other.name))"
      + (other.publisher.map { " \(option("to-publisher", $0.name))" } ?? "")
  }

  /// Returns the command that grants a group to a sandboxed app.
  package static func grant(_ group: AccessGroup, to app: String) -> String {
    let names = "\(ShellWord.quoted(app)) \(group.name)"
    let publisher = publisher(of: group)
    // What follows "--" is no option, although it begins with a hyphen.
    let isLikeOption = app.hasPrefix("-") || group.name.hasPrefix("-")
    return isLikeOption ? "sso-cache grant\(publisher) -- \(names)" : "sso-cache grant \(names)\(publisher)"
  }

  /// Returns an option with its value.
  package static func option(_ name: String, _ value: String) -> String {
    // After an equals sign a value may begin with a hyphen.
    "--\(name)\(value.hasPrefix("-") ? "=" : " ")\(ShellWord.quoted(value))"
  }

  private static func publisher(of group: AccessGroup) -> String {
    group.publisher.map { " \(option("publisher", $0.name))" } ?? ""
  }

  /// The command that unlocks or creates gnome-keyring's login keyring with a prompt.
  package static let makeLogin = "sso-cache group unlock --prompt"
}
