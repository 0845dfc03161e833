// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command that saves increasing numbers until it is killed.
///
/// The file contains the newest acknowledged number.
struct Write: AsyncParsableCommand {
  @Option(help: "The access group.")
  var group: String

  @Option(help: "The file with the number of the newest acknowledged save.")
  var acknowledged: String

  @Option(help: "By when a save has ended, in milliseconds.")
  var timeout = 1_000

  @Option(help: "How long to rest after each save, in milliseconds.")
  var rest = 5

  func run() async throws {
    let newest = try Acknowledged(path: acknowledged)
    let account = try HammeredAccount(group: group, cachesRecords: false, timeout: .milliseconds(timeout))
    // An earlier process may have saved numbers without recording them. They are skipped.
    var number = newest.read() + 1_000
    while true {
      number += 1
      do {
        try await account.save(number)
        newest.write(number)
      } catch is SecretStoreError {}
      try await Task.sleep(for: .milliseconds(rest))
    }
  }
}
