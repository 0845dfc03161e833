// SPDX-License-Identifier: MIT

import Foundation

/// An identity broker on the session bus; see `Scripts/support/mocks/mock-broker`.
///
/// It leaves the bus with ``end()``, so that other tests have none.
final class MockBroker {
  struct Request {
    let method: String
    let members: [String: Any]
    /// What is wrong with the request.
    let wrong: [String]
  }

  static let script = URL(filePath: #filePath)
    .appending(path: "../../../../Scripts/support/mocks/mock-broker").standardized.path()

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init() throws {
    process.executableURL = URL(filePath: try PrivateSession.python)
    process.arguments = [Self.script]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Forgets everything, and is a broker of a version with the accounts of people.
  func reset(_ version: String = "3.0.1", _ people: [Person] = [.anna]) throws {
    try tell(["do": "reset", "version": version, "accounts": people.map { $0.account(of: version) }])
  }

  /// Replies to a method in another way from now on.
  func reply(_ method: String, _ kind: String, _ value: Any = NSNull()) throws {
    try tell(["do": "reply", "method": method, "kind": kind, "value": value])
  }

  /// Replies to what is late, and everything as it should; is back on the bus.
  func clear() throws { try tell(["do": "clear"]) }

  /// The requests since the last time.
  func requests() throws -> [Request] {
    let requests = try tell(["do": "requests"]) as? [[String: Any]] ?? []
    return requests.map { request in
      Request(
        method: request["method"] as? String ?? "", members: request["request"] as? [String: Any] ?? [:],
        wrong: request["wrong"] as? [String] ?? ["no list"])
    }
  }

  @discardableResult
  private func tell(_ command: [String: Any]) throws -> Any {
    let line = try JSONSerialization.data(withJSONObject: command) + [UInt8(ascii: "\n")]
    try input.fileHandleForWriting.write(contentsOf: line)
    var reply = Data()
    while reply.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw PrivateSession.Failed(description: "The mock broker has ended.") }
      reply += more
    }
    return try JSONSerialization.jsonObject(with: reply, options: .fragmentsAllowed)
  }

  struct Person {
    let uid: String
    let username: String

    static let tenant = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    static let anna = Person(uid: "9f4880d8-80ba-4c40-97bc-f7a23c703084", username: "anna@contoso.com")

    var identifier: String { "\(uid).\(Self.tenant)" }

    /// The account as a version of the broker lists it; himmelblau does not say when a password expires.
    func account(of version: String) -> [String: Any] {
      var account: [String: Any] = [
        "environment": "login.windows.net", "givenName": "Anna", "homeAccountId": identifier,
        "localAccountId": uid, "name": "Anna Contoso", "realm": Self.tenant, "username": username,
      ]
      if version != "himmelblau" { account["passwordExpiry"] = 0 }
      return account
    }
  }
}
