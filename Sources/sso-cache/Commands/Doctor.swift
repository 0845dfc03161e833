// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc
import SecretStoreAgent
import SecretStoreCache
import SecretStoreDiagnosis

/// The command `sso-cache doctor`.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find out why silent sign-in fails, and repair what can be repaired without losing data.",
    discussion: """
      Checks the bus, the keyring, the groups, the apps' files and the clock, and names a remedy for every problem. \
      Every group is checked, unless --group, --publisher or --entitlements name some. It shows no prompt, and no \
      token, account name or secret.

      Exit status: 0 when all is well or there are only warnings, else that of the first error: 64 a name in a \
      property list, or how many groups it has, is not allowed, 65 a marker or property list can't be read, 69 no \
      Secret Service or no encrypted session, 74 storage failed, 75 locked or no reply in time, 77 an app's manifest \
      is refused, 78 a group is unrecoverable, or will be after the next login, 1 the clock is wrong. After a repair \
      that failed it is that of the failure; the others are made. The diagnosis is on standard output all the same. \
      --fix that was interrupted has status 130 and prints no diagnosis; another --fix goes on with what is left.

      Examples:
        sso-cache doctor
        sso-cache doctor --group com.contoso.shared --publisher com.contoso --fix
        sso-cache doctor --json
      """)

  @OptionGroup var options: GroupOptions

  @Flag(help: "Make the repairs that lose no data, after a confirmation.")
  var fix = false

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  @OptionGroup var progress: ProgressOptions

  func run() async throws {
    if fix && !yes { try Confirmation.requireTerminal() }
    let app = try options.entitlements.map(self.app)
    let groups = try self.groups(of: app)
    let grantProblems = GrantStore().problems().map {
      GrantProblem(path: $0.path, line: $0.line, explanation: $0.explanation)
    }
    let store = GroupOptions.store
    var failure: SecretStoreError?
    var diagnosis = await store.diagnose(groups, app: app, grantProblems: grantProblems)
    if fix && !diagnosis.repairs.isEmpty {
      let repairs = diagnosis.repairs
      if !options.json { DiagnosisReport(diagnosis).print() }
      let question = repairs.map { "\(Printer.printable("\($0)"))." }.joined(separator: "\n") + "\nDo it?"
      guard try Confirmation.agrees(question, isConfirmed: yes) else { throw CancellationError() }
      failure = try await perform(repairs, in: store)
      diagnosis = await store.diagnose(groups, app: app, grantProblems: grantProblems)
      if !options.json { Printer.line("") }
    }
    if options.json {
      Printer.json(DiagnosisReport(diagnosis).json)
    } else {
      DiagnosisReport(diagnosis).print()
    }
    if let failure { throw ExitCode(Failure.status(of: failure.code)) }
    if diagnosis.status == .error { throw ExitCode(diagnosis.code.map(Failure.status) ?? EXIT_FAILURE) }
  }

  /// Makes the repairs, also those after one that fails, and names those that failed on standard error.
  ///
  /// - Returns: The error of the first repair that failed.
  private func perform(
    _ repairs: [Diagnosis.Repair], in store: SecretStore
  ) async throws -> SecretStoreError? {
    var errors: [SecretStoreError] = []
    for (index, repair) in repairs.enumerated() {
      var work = LongWork(
        name: "fix", title: repairs.count == 1 ? "Repairing" : "Repair \(index + 1) of \(repairs.count):",
        outcome: "records are repaired", style: progress.style(isJSON: options.json))
      if repair.isLostAtLogin {
        work.again = "Start it again before you log out: the next login may lock what is left for good."
      }
      do {
        try await FurtherWaits.run(after: errors) {
          try await work.run { try await store.perform(repair, progress: $0) }
        }
      } catch let error as SecretStoreError {
        errors.append(error)
        Printer.error(Printer.printable("sso-cache: Not done: \(repair). \(error.detail)") + "\n")
      }
    }
    return errors.first
  }

  /// Reads the entitlements.
  ///
  /// What is wrong with them is a finding. Only a file that can't be opened ends the command.
  private func app(_ file: String) throws -> Result<AppEntitlements, SecretStoreError> {
    let list = Data(try InputFile.read(file))
    return Result { () throws(SecretStoreError) in try options.acting.app(list) }
  }

  /// Returns the groups that the options name; `nil` for all groups, or for all groups of the app.
  private func groups(of app: Result<AppEntitlements, SecretStoreError>?) throws -> [AccessGroup]? {
    if let app {
      guard let group = options.group, let app = try? app.get() else { return nil }
      return [try app.group(group)]
    }
    if options.group == nil && options.publisher == nil { return nil }
    return [try options.chosenGroup()]
  }
}
