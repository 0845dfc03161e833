// SPDX-License-Identifier: MIT

package import SecretStoreCache

/// An account of a group as the window shows it.
package struct AccountItem: Sendable, Equatable, Identifiable {
  /// An app that is signed in.
  package struct App: Sendable, Equatable {
    package let identifier: AppIdentifier
    /// The app's name by its `.desktop` file, or its ID.
    package let title: String
  }

  /// A client that holds tokens for the account, and its signed-in apps.
  package struct Client: Sendable, Equatable {
    package let identifier: String
    package let apps: [App]

    /// What is known of the client's apps.
    package var subtitle: String {
      switch apps.count {
      case 0: "Client; no app has said that it is signed in"
      case 1: "Client of one app"
      default: "Client of \(apps.count) apps"
      }
    }
  }

  /// The group and the account in it.
  package struct ID: Sendable, Hashable {
    package let group: AccessGroup
    package let account: Account
  }

  package let id: ID
  package let title: String
  package let subtitle: String
  package let clients: [Client]

  /// Creates the item of an account.
  ///
  /// - Parameter names: The names of apps, by their IDs.
  package init(_ account: Account, in group: AccessGroup, names: [String: String]) {
    id = ID(group: group, account: account)
    title = Self.title(of: account)
    let user = account.username.plainText
    subtitle = [user == title ? "" : user, account.environment.plainText].filter { !$0.isEmpty }
      .joined(separator: " · ")
    // An app may be signed in to a client that holds tokens by its family alone.
    let clients = Set(account.clients).union(account.signIns.map(\.clientID)).sorted()
    self.clients = clients.map { client in
      Client(
        identifier: client,
        apps: account.signIns.filter { $0.clientID == client }.map { signIn in
          App(identifier: signIn.app, title: (names[signIn.app.name] ?? signIn.app.name).plainText)
        })
    }
  }

  /// The person's name, else the user name, else the identifier.
  private static func title(of account: Account) -> String {
    let texts = [account.name ?? "", account.username, account.identifier]
    return (texts.first { !$0.allSatisfy(\.isWhitespace) } ?? "").plainText
  }
}
