// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group move`.
struct GroupMove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a group out of the default collection into one of its own.",
    discussion: """
      One record is moved at a time, and apps can use the group meanwhile. A move that was interrupted loses nothing; \
      the next one goes on with what is left.

      Examples:
        sso-cache group move --group com.contoso.shared --prompt
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions
  @OptionGroup var progress: ProgressOptions

  func run() async throws {
    let group = try options.open().group
    let policy = prompts.promptPolicy
    let work = LongWork(
      name: "move", title: "Moving", outcome: "records are moved",
      style: progress.style(isJSON: options.json))
    let count = try await work.run { progress in
      try await SecretStore().moveGroup(group, promptPolicy: policy, progress: progress)
    }
    let moved = "Moved \(count) \(count == 1 ? "record" : "records")."
    options.report("moved", count > 0, count > 0 ? moved : "There is nothing to move.")
  }
}
