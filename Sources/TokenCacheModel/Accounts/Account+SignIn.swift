// SPDX-License-Identifier: MIT

public import KeychainGroupModel
import UnifiedCache

extension Account {
  /// An app that is signed in to an account with a client's tokens.
  public struct SignIn: Sendable, Hashable {
    /// The client that the tokens were issued to; several apps may share it.
    public let clientID: String
    /// The app.
    public let app: AppIdentifier

    /// Creates a sign-in, for tests and previews of an app.
    public init(clientID: String, app: AppIdentifier) {
      self.clientID = clientID
      self.app = app
    }
  }
}

/// The apps that are signed in to each account, by what records say of them.
struct SignInList {
  private struct Owner: Hashable {
    let account: String
    let environment: String
  }

  private var signIns: [Owner: Set<Account.SignIn>] = [:]

  /// Adds the signed-in apps of a record of an account and a client.
  mutating func add(_ document: CacheDocument, of key: RecordKey) {
    guard
      let clientID = document.credentials.first(where: { RecordKey.storedClient($0.clientID) == key.clientID }
      )?
      .clientID
    else { return }
    let owner = Owner(account: key.account, environment: key.environment)
    for name in document.metadata.apps(.signedIn) {
      guard let app = try? AppIdentifier(name) else { continue }
      signIns[owner, default: []].insert(Account.SignIn(clientID: clientID, app: app))
    }
  }

  /// Returns the accounts with their signed-in apps, sorted by client and app.
  func added(to accounts: [Account]) -> [Account] {
    accounts.map { account in
      let owner = Owner(
        account: RecordKey.storedAccount(account.identifier), environment: account.storageEnvironment)
      var account = account
      account.signIns = (signIns[owner] ?? []).sorted {
        ($0.clientID, $0.app.name) < ($1.clientID, $1.app.name)
      }
      return account
    }
  }
}
