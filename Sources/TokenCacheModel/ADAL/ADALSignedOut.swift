// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The users of a group who are signed out everywhere, in either format.
struct ADALSignedOut {
  private struct User: Hashable {
    let environment: String
    /// The client, where it is known by ADAL's items; empty for every client.
    let clientID: String
    /// The account in its stored form, or the digest of the user's name.
    let name: String
  }

  private let users: Set<User>

  init(backend: any TokenCacheBackend) async throws {
    var (signedOut, others): (Set<User>, Set<User>) = ([], [])
    for record in try await backend.records(matching: .all(.credentials)) {
      let document = try? record.document()
      let names = (document?.accounts.map(\.username) ?? []).map(SharingState.digest(ofName:))
      let users = ([record.key.account] + names + (document?.sharing.names ?? [])).map {
        User(environment: record.key.environment, clientID: "", name: $0)
      }
      if document?.isSignedOut(for: nil) == true {
        signedOut.formUnion(users)
      } else {
        others.formUnion(users)
      }
    }
    for item in try await ADALStore(backend: backend).items() {
      let user = Self.user(item.token, clientID: item.key.clientID)
      if item.token.kind != nil {
        others.insert(user)
      } else if item.sharing.epoch > 0 {
        signedOut.insert(user)
      }
    }
    self.users = signedOut.subtracting(others)
  }

  /// Whether an item's user is among them.
  func contains(_ token: ADALToken) -> Bool {
    let name = Self.user(token, clientID: "")
    var wanted = [Self.user(token, clientID: RecordKey.storedClient(token.clientID))]
    if let account = token.homeAccountID.map(RecordKey.storedAccount) {
      wanted.append(User(environment: token.environment, clientID: "", name: account))
    } else {
      wanted.append(name)
    }
    return token.subject == .user && wanted.contains(where: users.contains)
  }

  private static func user(_ token: ADALToken, clientID: String) -> User {
    User(
      environment: token.environment, clientID: clientID,
      name: SharingState.digest(ofName: token.userID ?? ""))
  }
}
