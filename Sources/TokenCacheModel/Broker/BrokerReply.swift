// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// The members of a reply of the identity broker, which is not trusted.
struct BrokerReply {
  /// The size of the largest accepted reply, in bytes.
  static let maximumBytes = 4_000_000

  let members: JSONObject

  /// Parses a reply.
  ///
  /// - Throws: The broker's error; a malformed reply's for a text that is too large or no JSON object.
  init(parsing text: String) throws(SecretStoreError.BrokerError) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw .malformed("is larger than \(Self.maximumBytes) bytes")
    }
    guard let members = try? JSONObject(parsing: text.utf8) else { throw .malformed("is no JSON object") }
    if let error = Self.error(in: members) { throw error }
    self.members = members
  }

  /// Returns the error of a reply or of its `brokerTokenResponse`; `nil` for none.
  static func error(in members: JSONObject) -> SecretStoreError.BrokerError? {
    switch members["error"] {
    case nil, .null?: nil
    case let error?: SecretStoreError.BrokerError(error)
    }
  }

  /// The accounts of a reply to `getAccounts`.
  func accounts() throws(SecretStoreError.BrokerError) -> [BrokerAccount] {
    guard let list = members["accounts"]?.arrayValue else { throw .malformed("has no list of accounts") }
    guard list.count <= BrokerAccount.maximumCount else {
      throw .malformed("has more than \(BrokerAccount.maximumCount) accounts")
    }
    var accounts: [BrokerAccount] = []
    for value in list { accounts.append(try BrokerAccount(value)) }
    return accounts
  }

  /// The version of a reply to `getLinuxBrokerVersion`.
  func version() throws(SecretStoreError.BrokerError) -> String {
    guard let version = members["linuxBrokerVersion"]?.stringValue, !version.isEmpty,
      version.utf8.count <= 64,
      version.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw .malformed("has no version") }
    return version
  }
}
