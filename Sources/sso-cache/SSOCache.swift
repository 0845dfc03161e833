// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import SecretStoreCache

/// The tool `sso-cache`, which shows and manages what the apps of an access group share.
@main
struct SSOCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sso-cache",
    abstract: "Show and manage the sign-ins that apps share through the Secret Service.",
    discussion: """
      Examples:
        sso-cache groups
        sso-cache group unlock --group com.contoso.shared --prompt
        sso-cache accounts --group com.contoso.shared --publisher com.contoso
        sso-cache token --client-id C --account ada@contoso.com --scope mail.read
        sso-cache sign-out --client-id C --account ada@contoso.com
        sso-cache watch --json
        sso-cache import --format msal token_cache.json
        sso-cache export --format msal --output token_cache.json
        sso-cache partners
        sso-cache secret set --group com.contoso.shared --service imap --account ada
        sso-cache apps
        sso-cache grant com.fabrikam.App com.contoso.shared --publisher com.contoso
        sso-cache doctor
        sso-cache damaged
        sso-cache run -- bash

      Tables fit the terminal, and titles and states are in colour there, unless NO_COLOR is set.

      On a terminal, import, export, group move, group copy, doctor --fix and partners show how far they are, the rate \
      and the time left, once they take longer than half a second. Nothing is shown where standard error is no terminal, where \
      TERM is dumb, and with --json or --verbose. With --progress they print lines of JSON on standard error instead, \
      at most one in a second: {"progress":{"work":"import","completed":30,"total":1000,"seconds_left":90}}. Ctrl-C \
      and SIGTERM end them at a whole item, with exit status 130 and 143. What is done stays, and the same command goes \
      on with what is left. A second Ctrl-C ends them at once.

      Exit status: 0 done, 1 other failure, 10 interaction required, 11 declined scopes, 12 ambiguous account, \
      64 usage, 65 bad input or corrupt item, 69 no Secret Service, 74 storage or network failed, 75 locked, \
      prompt dismissed or timed out, 77 not entitled or against a policy, 78 group unrecoverable, 130 cancelled, 143 ended by SIGTERM.
      """, version: version,
    subcommands: [
      Groups.self, GroupCommand.self, Accounts.self, Token.self, SignOut.self, Watch.self, Import.self,
      Export.self, Partners.self,
      SecretCommand.self, DamagedCommand.self,
      AppsCommand.self, GrantCommand.self, GrantsCommand.self, RevokeCommand.self, AgentCommand.self,
      Doctor.self, Run.self, KeyringStateCommand.self,
    ])

  /// The version of this build.
  ///
  /// None is released yet.
  static let version = "0.1.0-dev"

  @MainActor
  static func main() async {
    Descriptor.fillStandard()
    // A caller may have ignored it, and then the end of a helper program is an error, with its response lost.
    signal(SIGCHLD, SIG_DFL)
    GLibMessages.useStandardError()
    // Swift reads the arguments from /proc. If /proc is hidden, there are none, and another command would run.
    guard !CommandLine.arguments.isEmpty else {
      Failure(ProcessProblem.noProc.storeError).report(asJSON: false, as: self, of: self)
    }
    for (isEnough, problem) in [
      (Descriptor.areEnough, ProcessProblem.fewFiles), (MemoryLimit.isEnough, .littleMemory),
      (ThreadLimit.isEnough, .fewThreads),
    ] where !isEnough {
      Failure(problem.storeError).report(asJSON: Invocation.wantsJSON, as: self, of: self)
    }
    if let folder = SilentDisk.folder {
      Failure(ProcessProblem.silentDisk(of: folder).storeError)
        .report(asJSON: Invocation.wantsJSON, as: self, of: self)
    }
    guard Invocation.hasTextArguments else {
      Failure(ValidationError("An argument is not UTF-8."))
        .report(asJSON: Invocation.wantsJSON, as: self, of: self)
    }
    let arguments = Invocation.arguments
    LogOptions.bootstrap(isVerbose: Invocation.isVerbose)
    // The connection is made while the arguments are parsed, because connecting is mostly waiting.
    if arguments.first == "token" { Task.detached { await GroupOptions.store.connect() } }
    // For an error, the usage of the failed command is shown.
    var kind: any ParsableCommand.Type = self
    do {
      var command = try parseAsRoot()
      kind = type(of: command)
      if let set = command as? SecretSet { try set.readSecret() }
      if let unlock = command as? GroupUnlock { try unlock.openOnTerminal() }
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Failure(error).report(asJSON: Invocation.wantsJSON, as: kind, of: self)
    }
  }
}
