// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import UnifiedCache

extension TokenCache {
  /// Returns the identity broker's accounts, including those that this app has signed out of.
  ///
  /// ``accounts(includingSignedOut:)`` has them, too, as long as the broker replies. Use this method to learn why they
  /// are missing.
  ///
  /// - Returns: The accounts, sorted by user name; `nil` when the cache uses no broker or none is installed.
  /// - Throws: `networkError` when the broker does not reply in time or goes away; `invalidResponse` when its reply
  ///   is malformed; `invalidRedirectURI` for a redirect URI that no broker takes; otherwise the code for its
  ///   `status`, as the page *The broker* lists them. The underlying error is a `SecretStoreError.BrokerError`.
  public func brokerAccounts() async throws -> [Account]? {
    try await broker(at: authority)?.accounts()?.map(\.account).sortedByUsername()
  }

  /// Returns the broker for calls at an authority; `nil` when the cache uses none there.
  ///
  /// - Throws: `invalidRedirectURI` for a redirect URI that no broker takes.
  func broker(at authority: Authority) throws(SecretStoreError) -> BrokerClient? {
    guard let broker = options.broker, authority.kind == .aad else { return nil }
    if let problem = options.brokerRedirectURI?.brokerProblem {
      throw SecretStoreError(.invalidRedirectURI, problem.explanation, underlying: problem)
    }
    return BrokerClient(
      broker: broker, clientID: clientID,
      redirectURI: options.brokerRedirectURI?.text ?? RedirectURI.nativeClient,
      limit: min(options.brokerTimeout, .seconds(5)), tokenLimit: options.brokerTimeout)
  }

  /// Returns accounts together with the broker's; those that the broker has are marked.
  ///
  /// The broker's accounts that this app has signed out of are left out.
  ///
  /// - Parameter records: The records of the group's accounts.
  func withBrokerAccounts(
    _ accounts: [Account], among records: [Record], includingSignedOut: Bool
  ) async throws -> [Account] {
    guard let broker = try broker(at: authority) else { return accounts }
    let listed: [Account]
    do {
      guard let found = try await broker.accounts() else { return accounts }
      listed = found.map(\.account)
    } catch let error as SecretStoreError {
      CallLog.logger(or: options.logger).warning(
        "leaves out the identity broker's accounts", metadata: CallLog.metadata(CallLog.facts(of: error)))
      return accounts
    }
    let aliases = try await aliases(for: authority)
    func key(_ account: Account) -> RecordKey { self.key(account, aliases) }
    let known = Set(accounts.map(key))
    var brokerKeys = Set(listed.map(key))
    var signedOut: Set<RecordKey> = []
    for record in records where brokerKeys.contains(record.key) && !known.contains(record.key) {
      if !includingSignedOut, readable(record)?.isSignedOut(for: app) == true { signedOut.insert(record.key) }
    }
    var merged = accounts.map { brokerKeys.contains(key($0)) ? $0.markedAsFromBroker() : $0 }
    brokerKeys.subtract(known)
    for account in listed where brokerKeys.remove(key(account)) != nil && !signedOut.contains(key(account)) {
      // An account that ADAL has signed in may have no identifier yet.
      if !accounts.contains(where: { $0.isNamed(as: account) }) { merged.append(account) }
    }
    return merged.sortedByUsername()
  }

  /// Removes an account from the broker for this client, if the cache uses a broker that has it.
  ///
  /// himmelblau can't remove accounts, and replies with a D-Bus error, as it does when it has none to list. That is no
  /// error here.
  func removeFromBroker(_ account: Account) async throws {
    guard let broker = try broker(at: authority) else { return }
    let aliases = try await aliases(for: authority)
    do {
      for known in try await broker.accounts() ?? []
      where key(known.account, aliases) == key(account, aliases) {
        try await broker.remove(known)
      }
    } catch let error as SecretStoreError {
      let cause = error.underlying as? SecretStoreError.BrokerError
      guard cause?.isBusError == true else { throw error }
      CallLog.debug("the broker does not remove the account")
    }
  }
}
