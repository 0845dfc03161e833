// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A record that is stored but can't be read.
///
/// Lists and exports leave it out.
///
/// An update never overwrites it. Only a removal or a sign-out takes it away. The value names the client and host of
/// the record and the reason of the failure, but none of the content. Its description doesn't show the account either.
public struct DamagedRecord: Sendable, Hashable {
  /// The key that the record is stored under.
  public let key: RecordKey

  /// The reason why the record can't be read, as a sentence.
  public let reason: String

  /// Creates the description of a record's damage; `nil` when the record can be read.
  package init?(_ record: Record) {
    guard case .failure(let error) = record.content else { return nil }
    key = record.key
    reason = error.detail
  }
}

extension DamagedRecord: CustomStringConvertible {
  /// The purpose of the record, with its client and host.
  public var description: String { key.purpose }
}

extension RecordKey {
  /// The purpose of a record, without its account.
  ///
  /// A client ID is often a number that tells a user nothing. The host shows which provider issued it.
  package var purpose: String {
    let suffix = environment.isEmpty ? "" : " at \(environment.replacing("https://", with: ""))"
    return switch kind {
    case .group: "Access group"
    case .credentials: "Sign-in for \(clientID)\(suffix)"
    case .family: "Sign-in for the app family \(familyID)\(suffix)"
    case .client: "App metadata of \(clientID)\(suffix)"
    case .groupData: "Data of the access group"
    case .legacy: "ADAL sign-in for \(clientID)\(suffix)"
    case .secret: "App secret"
    case .groupKey: "Password of the access group"
    case .damaged: "Damaged item that was set aside"
    }
  }
}
