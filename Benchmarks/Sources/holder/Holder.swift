// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache

/// A process that holds the tokens of all accounts of a group in its record cache.
///
/// It prints its peak memory in kB, and then the anonymous part of its memory at the end, which no other process can
/// share.
///
///     holder GROUP
///
/// GROUP is the path of the group's file.
@main
enum Holder {
  private struct Plan: Decodable {
    let name: String
    let clientID: String
    let authority: String
    let scopes: [String]
    let accounts: [Listed]

    enum CodingKeys: String, CodingKey {
      case name, authority, scopes, accounts
      case clientID = "client_id"
    }
  }

  private struct Listed: Decodable {}

  static func main() async throws {
    let data = try Data(contentsOf: URL(filePath: CommandLine.arguments.dropFirst().joined()))
    let plan = try JSONDecoder().decode(Plan.self, from: data)
    var options = SecretStoreOptions()
    options.cachesRecords = true
    let cache = try SecretStore(options: options).tokenCache(
      for: try AppEntitlements(app: "com.example.benchmark", groups: [plan.name]), group: plan.name,
      clientID: plan.clientID, authority: try Authority(plan.authority))
    let accounts = try await cache.accounts()
    guard accounts.count == plan.accounts.count else { throw CocoaError(.fileReadCorruptFile) }
    for account in accounts {
      _ = try await cache.acquireTokenSilent(scopes: Scopes(plan.scopes), account: account)
    }
    print(try kilobytes("VmHWM", in: "/proc/self/status"))
    print(try kilobytes("RssAnon", in: "/proc/self/status"))
  }

  private static func kilobytes(_ name: String, in file: String) throws -> Int {
    let line = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("\(name):") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
