// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

/// The issuers of a cache's entries, inferred from entries that only have a host.
///
/// An entry that names its issuer, or is Microsoft's, also determines the environment of the other entries of its
/// account and client at the same host. An account of the type AD FS does so only where no other entry does.
struct IssuerEvidence {
  /// The entries that a fact is about.
  ///
  /// A part that is `nil` stands for any value.
  private struct Subject: Hashable {
    let host: String
    let account: String?
    let client: String?
    let realm: String?
  }

  /// The environment of each subject, `nil` when its entries name different ones.
  private var environments: [Subject: String?] = [:]

  /// Collects the evidence of a cache's entries.
  init(_ document: CacheDocument, isMicrosoftHost: (String) -> Bool) {
    for section in CacheSection.allCases {
      for value in document[section].map(\.value) {
        guard let fields = value.objectValue, let host = fields["environment"]?.stringValue,
          !isMicrosoftHost(host), let environment = Self.environment(of: fields, in: section)
        else { continue }
        add(environment, of: Self.subject(fields, host: host))
      }
    }
    let accounts = document[.account].map(\.value).compactMap(\.objectValue)
    for fields in accounts where Self.isADFS("authority_type", of: fields) {
      guard let host = fields["environment"]?.stringValue, !isMicrosoftHost(host) else { continue }
      let subject = Self.subject(fields, host: host)
      if agreed(on: subject) == nil { add(host, of: subject) }
    }
  }

  private mutating func add(_ environment: String, of subject: Subject) {
    for account in [subject.account, nil] as Set {
      for client in [subject.client ?? "", nil] as Set {
        for realm in [subject.realm, nil] as Set {
          let key = Subject(host: subject.host, account: account, client: client, realm: realm)
          if let known = environments[key], known != environment {
            environments[key] = .some(nil)
          } else {
            environments[key] = environment
          }
        }
      }
    }
  }

  /// Returns the environment of an entry.
  ///
  /// It is the one that the entry itself names. Otherwise it is the one that all entries of its account and client
  /// agree on, those of the same realm first. Otherwise it is the host for an ID of Azure AD's form, and the issuer is
  /// unknown for any other.
  func environment(of fields: JSONObject, in section: CacheSection, at host: String) -> String {
    if let own = Self.environment(of: fields, in: section) { return own }
    let unknown = Self.id(fields)?.isAzureAD == true ? host : Issuer.unknown(at: host)
    return (agreed(on: Self.subject(fields, host: host)) ?? nil) ?? unknown
  }

  /// Returns the environment that the entries of a subject's account and client agree on, `.some(nil)` when they
  /// don't, and `nil` when none names one.
  private func agreed(on wanted: Subject) -> String?? {
    let clients = wanted.client.map { [$0, ""] } ?? [nil]
    for client in clients {
      for realm in wanted.realm.map({ [$0, nil] }) ?? [nil] {
        let key = Subject(host: wanted.host, account: wanted.account, client: client, realm: realm)
        if let environment = environments[key] { return environment }
      }
    }
    return nil
  }

  private static func id(_ fields: JSONObject) -> HomeAccountID? {
    fields["home_account_id"]?.stringValue.map { HomeAccountID($0) }
  }

  private static func subject(_ fields: JSONObject, host: String) -> Subject {
    func text(_ name: String) -> String? { fields[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    return Subject(
      host: host.lowercased(), account: text("home_account_id").map { HomeAccountID($0).compared },
      client: text("client_id").map(RecordKey.storedClient), realm: text("realm")?.lowercased())
  }

  /// Returns the environment that an entry itself names: its issuer, or the host for Azure AD, B2C and AD FS accounts.
  ///
  /// An ID of Azure AD's form may be any provider's `sub`: the issuer decides.
  private static func environment(of fields: JSONObject, in section: CacheSection) -> String? {
    guard let host = fields["environment"]?.stringValue else { return nil }
    if let issuer = Issuer.canonical(host) { return issuer }
    let id = id(fields)
    if id?.hasPolicy == true || isADFS("realm", of: fields) { return host }
    var named = fields[CacheDocument.issuerMember]?.stringValue
    if named == nil, section == .idToken, let token = fields["secret"]?.stringValue {
      named = (try? IDTokenClaims(token: token))?["iss"]
    }
    guard let issuer = named.flatMap({ Issuer($0) }), issuer.isAt(host) else { return nil }
    return id?.isAzureAD == true && issuer.isTenant ? host : issuer.text
  }

  private static func isADFS(_ name: String, of fields: JSONObject) -> Bool {
    fields[name]?.stringValue?.lowercased() == "adfs"
  }
}
