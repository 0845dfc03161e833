// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache group delete`.
struct GroupDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove a group with all accounts, tokens and secrets in it, for every app.",
    discussion: """
      Examples:
        sso-cache group delete --group com.contoso.shared --publisher com.contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let group = try options.open().group
    let question = "Remove \(group) with all accounts, tokens and secrets in it, for every app?"
    guard try await GroupRemovalQuestion.agrees(question, group, isConfirmed: yes) else {
      throw CancellationError()
    }
    let existed = try await SecretStore().deleteGroup(group, promptPolicy: prompts.promptPolicy)
    let left = Self.sentences(try await SecretStore().remains(of: group))
    if options.json {
      var members: JSONObject = ["deleted": .bool(existed)]
      if !left.isEmpty { members["left"] = .array(left.map(JSONValue.string)) }
      return Printer.json(.object(members))
    }
    let outcome = existed ? "Removed." : "There is no such group; nothing to do."
    for line in [outcome] + left { Printer.line(line) }
  }

  private static func sentences(_ remains: GroupRemains) -> [String] {
    remains.collections.map { collection in
      let items = collection.count == 1 ? "1 item" : "\(collection.count) items"
      return
        "The keyring \(Printer.printable(collection.label)) stays, with \(items) of others, and its password"
        + " stays in the login keyring: delete it in Passwords and Keys if nobody needs it."
    }
      + remains.files.map { file in
        "The file \(Printer.printable(file)) stays, with what the group held when it could not be opened: delete it"
          + " unless you hope to find its password."
      }
  }
}
