// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheContract
import TokenCacheModel

/// Runs the back end contract over the agent, as an app in a Flatpak; `Tests/Sandboxes` starts it there.
///
/// It prints a line for each case. No program in such a sandbox can store an item that is not the library's, or kill
/// the holder of a lease, so the cases that need this are listed as such; outside they run over the agent as well.
@main
enum SandboxContract {
  private struct OnlyOutside: Error {}

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 3 else { return print("usage: sandbox-contract APP PUBLISHER GROUP") }
    for rule in TokenCacheContract.cases {
      do {
        let (backend, other) = (try backend(arguments, rule), try backend(arguments, rule))
        try await clear(backend)
        let environment = ContractEnvironment(
          backend: backend, other: other, storeRaw: { _, _ in throw OnlyOutside() },
          killLeaseHolder: { _ in throw OnlyOutside() })
        try await rule.check(environment)
        print("passed \(rule)")
      } catch {
        print("\(error)".contains("\(OnlyOutside.self)") ? "only outside \(rule)" : "failed \(error)")
      }
    }
  }

  private static func backend(
    _ names: ArraySlice<String>, _ rule: ContractCase
  ) throws -> any TokenCacheBackend {
    var options = SecretStoreOptions()
    options.transport = .agent
    options.leaseTimeout = rule.leaseTimeout
    let app = try AppEntitlements(app: names[1], publisher: names[2], groups: [names[3]])
    return try SecretStore(options: options).backend(for: app, group: names[3])
  }

  private static func clear(_ backend: any TokenCacheBackend) async throws {
    let kinds: [RecordKind] = [.credentials, .family, .client, .groupData, .legacy, .secret]
    for record in try await backend.records(matchingAny: kinds.map(RecordQuery.all)) {
      try await backend.remove(record.key)
    }
  }
}
