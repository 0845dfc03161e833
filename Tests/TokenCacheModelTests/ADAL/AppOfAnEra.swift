// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// An app that uses ADAL before 2.7, a later one, or MSAL; the same four things can be done with each.
struct AppOfAnEra {
  enum Era: String, CaseIterable, Sendable {
    case adal26 = "ADAL 2.6"
    case adal27 = "ADAL 2.7"
    case msal = "MSAL"
  }

  let group: SharedGroup
  let era: Era
  let name: String
  var client = SharedGroup.suite
  var isSeeding = false

  private func adal() throws -> ADALTokenCache {
    try group.adal(name, era == .adal26 ? .ownFormat : .bothFormats, client: client)
  }

  private func msal() throws -> TokenCache {
    try group.app(name, client: client) { $0.seedsADAL = isSeeding }
  }

  /// What the server answers to this app.
  func answer(_ number: Int, family: String?, isFirst: Bool = false) -> JSONObject {
    let resource = isFirst ? SharedGroup.graph : "https://outlook.office.com"
    let scope = isFirst ? "mail.read openid profile" : "calendar.read openid profile"
    return switch era {
    case .adal26: Person.anna.adalAnswer(number, resource: resource, family: family, hasClientInfo: false)
    case .adal27: Person.anna.adalAnswer(number, resource: resource, family: family)
    case .msal: Person.anna.answer(number, scope: scope, family: family)
    }
  }

  func signIn(_ number: Int, family: String?) async throws {
    switch era {
    case .msal: try await msal().signIn(answer(number, family: family, isFirst: true))
    case .adal26, .adal27: try await adal().signIn(answer(number, family: family, isFirst: true))
    }
  }

  /// The users that the app sees.
  func users() async throws -> [String] {
    switch era {
    case .msal: try await msal().accounts().map(\.username)
    case .adal26, .adal27: try await adal().users().map(\.userID)
    }
  }

  /// An access token, had silently for something that nobody has asked for before.
  func silent() async throws -> String {
    switch era {
    case .msal:
      guard let account = try await msal().account() else {
        throw SecretStoreError(.interactionRequired, "There is no account.")
      }
      return try await msal().acquireTokenSilent(scopes: ["calendar.read"], account: account).accessToken
    case .adal26, .adal27:
      return try await adal().acquireTokenSilent(resource: "https://outlook.office.com").accessToken
    }
  }

  func signOut() async throws {
    switch era {
    case .msal:
      for account in try await msal().accounts() { try await msal().signOut(account) }
    case .adal26, .adal27:
      for user in try await adal().users() { try await adal().signOut(userID: user.userID) }
    }
  }
}
