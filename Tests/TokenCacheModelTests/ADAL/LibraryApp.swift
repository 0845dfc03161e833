// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

@testable import ADALCache

/// An app that uses ADAL before 2.7, ADAL 2.7, or MSAL, with the same four operations for each.
struct LibraryApp {
  enum Library: String, CaseIterable, Sendable {
    case adal26 = "ADAL 2.6"
    case adal27 = "ADAL 2.7"
    case msal = "MSAL"
  }

  let group: SharedGroup
  let library: Library
  let name: String
  var client = SharedGroup.suite
  var isSeeding = false

  private func adal() throws -> ADALTokenCache {
    try group.adal(name, library == .adal26 ? .ownFormat : .bothFormats, client: client)
  }

  private func msal() throws -> TokenCache {
    try group.app(name, client: client) { $0.seedsADAL = isSeeding }
  }

  /// The server's response to this app.
  func response(_ number: Int, family: String?, isFirst: Bool = false) -> JSONObject {
    let resource = isFirst ? SharedGroup.graph : "https://outlook.office.com"
    let scope = isFirst ? "mail.read openid profile" : "calendar.read openid profile"
    return switch library {
    case .adal26: TestUser.anna.adalResponse(number, resource: resource, family: family, hasClientInfo: false)
    case .adal27: TestUser.anna.adalResponse(number, resource: resource, family: family)
    case .msal: TestUser.anna.response(number, scope: scope, family: family)
    }
  }

  func signIn(_ number: Int, family: String?) async throws {
    switch library {
    case .msal: try await msal().signIn(response(number, family: family, isFirst: true))
    case .adal26, .adal27: try await adal().signIn(response(number, family: family, isFirst: true))
    }
  }

  /// The users that the app sees.
  func users() async throws -> [String] {
    switch library {
    case .msal: try await msal().accounts().map(\.username)
    case .adal26, .adal27: try await adal().users().map(\.userID)
    }
  }

  /// An access token, acquired silently for a resource without a cached token.
  func silent() async throws -> String {
    switch library {
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
    switch library {
    case .msal:
      for account in try await msal().accounts() { try await msal().signOut(account) }
    case .adal26, .adal27:
      for user in try await adal().users() { try await adal().signOut(userID: user.userID) }
    }
  }
}
