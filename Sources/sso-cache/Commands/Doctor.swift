// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache

/// The command `sso-cache doctor`.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find out why silent sign-in fails, and mend what can be mended without a loss.",
    discussion: """
      Looks at the bus, the keyring, the groups, the apps' files and the clock, and says of all that is amiss \
      what mends it. Every group is looked at, unless --group, --publisher or --entitlements name some. It opens no \
      dialog and shows no token, account name or secret.

      Exit status: 0 when all is well or there are only warnings, else that of the first error: 69 no Secret \
      Service or no encrypted session, 74 storage failed, 75 locked or no answer in time, 77 an app's manifest is \
      refused, 78 a group is unrecoverable, or will be after the next login, 65 a marker or property list can't be \
      read, 1 the clock is wrong. The diagnosis is on standard output all the same.

      Examples:
        sso-cache doctor
        sso-cache doctor --group com.contoso.shared --publisher contoso --fix
        sso-cache doctor --json
      """)

  @OptionGroup var options: GroupOptions

  @Flag(help: "Mend what can be mended without a loss, after asking.")
  var fix = false

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    if fix && !yes { try Confirmation.requireTerminal() }
    let propertyList = try options.entitlements.map { Data(try InputFile.read($0)) }
    let groups = try self.groups(propertyList)
    let store = GroupOptions.store
    var diagnosis = await store.diagnose(groups, entitlements: propertyList)
    if fix && !diagnosis.repairs.isEmpty {
      let repairs = diagnosis.repairs
      if !options.json { DiagnosisReport(diagnosis).print() }
      let question = repairs.map { "\($0)." }.joined(separator: "\n") + "\nDo it?"
      guard try Confirmation.agrees(question, isGiven: yes) else { throw CancellationError() }
      for repair in repairs { try await store.perform(repair) }
      diagnosis = await store.diagnose(groups, entitlements: propertyList)
      if !options.json { Printer.line("") }
    }
    if options.json {
      Printer.json(DiagnosisReport(diagnosis).json)
    } else {
      DiagnosisReport(diagnosis).print()
    }
    if diagnosis.status == .error { throw ExitCode(diagnosis.code.map(Failure.status) ?? 1) }
  }

  /// The groups that the options name; `nil` for all, or all of the app's.
  private func groups(_ propertyList: Data?) throws -> [AccessGroup]? {
    if let propertyList {
      guard let group = options.group, let app = try? AppEntitlements(propertyList: propertyList) else {
        return nil
      }
      return [try app.group(group)]
    }
    if options.group == nil && options.publisher == nil { return nil }
    return [try options.chosenGroup()]
  }
}
