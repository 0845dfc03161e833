// SPDX-License-Identifier: MIT

import ArgumentParser
import KeychainGroupModel
import SecretStoreCache
import StrictJSON

/// The command `sso-cache group delete`.
struct GroupDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove a group with all accounts, tokens and secrets in it, for every app.",
    discussion: """
      A keyring of the group's own goes at once, and items elsewhere one by one. If the keyring daemon stops replying \
      meanwhile, or others keep storing items of the group, the error says how many are left and in which keyrings, \
      where that is known: start it again.

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
    let left = try await Self.left(of: group, existed)
    Self.report(
      "deleted", existed, existed ? "Removed." : "There is no such group; nothing to do.", left,
      isJSON: options.json)
  }

  /// Prints what a removal has done, and what it has left.
  static func report(_ member: String, _ isDone: Bool, _ outcome: String, _ left: [String], isJSON: Bool) {
    guard isJSON else { return ([outcome] + left).forEach { Printer.line($0) } }
    var members: JSONObject = [member: .bool(isDone)]
    if !left.isEmpty { members["left"] = .array(left.map(JSONValue.string)) }
    Printer.json(.object(members))
  }

  /// Returns what stays, in sentences.
  ///
  /// - Throws: The error for which that is unknown: a removal is done when nothing is left.
  private static func left(of group: AccessGroup, _ existed: Bool) async throws -> [String] {
    do {
      return sentences(try await SecretStore().remains(of: group), of: group)
    } catch let error as SecretStoreError {
      let done = existed ? "The group was removed, but what" : "What"
      throw SecretStoreError(
        error.code, "\(done) stays of it is unknown: \(error.detail)", underlying: error.underlying)
    }
  }

  private static func sentences(_ remains: GroupRemains, of group: AccessGroup) -> [String] {
    let (list, remove) = (ToolCommand.on(group, "damaged list"), ToolCommand.on(group, "damaged remove ID"))
    let setAside =
      "Of these, \(list) shows what was set aside, and \(remove) removes it; then a keyring with nothing else in it goes"
      + " with \(ToolCommand.on(group, "group delete"))."
    return remains.collections.map { collection in
      "The keyring \(Printer.printable(collection.label)) stays,"
        + (collection.count == 0
          ? " empty," : " with \(Quantity.of(collection.count, "item")) not known to be the group's,")
        + " and its password stays in the login keyring: delete it in Passwords and Keys if nobody needs it."
    }
      + remains.others.map { label in
        "A password of the group for the keyring \(Printer.printable(label)) stays in the login keyring: look at both in"
          + " Passwords and Keys."
      }
      + remains.unrelated.map { collection in
        "\(Quantity.of(collection.count, "item")) with the group's attributes but other content"
          + " \(collection.count == 1 ? "stays" : "stay") in the keyring"
          + " \(Printer.printable(collection.label)): look at them in Passwords and Keys."
      }
      + remains.withoutOwner.map { collection in
        "\(Quantity.of(collection.count, "item")) of this name without the attribute publisher"
          + " \(collection.count == 1 ? "stays" : "stay") in the keyring \(Printer.printable(collection.label)), of this"
          + " group or of another publisher's: look at them in Passwords and Keys."
      }
      + (remains.hasSetAside ? [setAside] : [])
      + remains.files.map(kept)
  }

  /// Returns what is said of the file of a keyring that could not be opened.
  static func kept(_ file: String) -> String {
    "The file \(Printer.printable(file)) stays, with what a group of this name held when it could not be opened: delete"
      + " it unless somebody hopes to find its password."
  }
}
