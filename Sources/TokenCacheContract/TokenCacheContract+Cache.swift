// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let cacheCases: [ContractCase] = [
    ContractCase("a second app of the group is signed in silently by the first one's sign-in", .sharing) {
      environment in
      let mail = try Samples.cache(environment.backend)
      try await mail.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
      try await environment.settle()
      let calendar = try Samples.cache(environment.other, app: "com.contoso.calendar")
      let account = try await calendar.soleAccount()
      try expect(account.identifier, is: Samples.homeAccountID, "the identifier")
      let result = try await calendar.acquireTokenSilent(scopes: ["Mail.Read"], account: account)
      try expect(result.accessToken, is: "at", "the token")
      try expect(result.source, is: .cache, "the source")
    },
    ContractCase("signing out of one app leaves the account to another that shares the client id", .sharing) {
      environment in
      let mail = try Samples.cache(environment.backend)
      let calendar = try Samples.cache(environment.other, app: "com.contoso.calendar")
      let account = try await mail.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
      _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
      try await mail.signOut(account)
      try await environment.settle()
      try expect(try await mail.accounts().count, is: 0, "Mail's accounts")
      try await expect(.interactionRequired, "Mail's token") {
        _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      }
      _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
      try await calendar.signOut(account)
      try await environment.settle()
      try expect(try await calendar.accounts().count, is: 0, "Calendar's accounts")
      let document = try await environment.backend.record(for: Samples.key)?.document()
      try expect(document?.hasTokens, is: false, "tokens after the last sign-out")
    },
    ContractCase("signing in again after signing out gives the account back", .sharing) { environment in
      let mail = try Samples.cache(environment.backend)
      let account = try await mail.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
      try await mail.signOut(account)
      try await mail.save(try Samples.response(scope: "mail.read", token: "new"), scopes: ["mail.read"])
      try await environment.settle()
      let again = try Samples.cache(environment.other)
      let result = try await again.acquireTokenSilent(
        scopes: ["mail.read"], account: try await again.soleAccount())
      try expect(result.accessToken, is: "new", "the token")
    },
    ContractCase(
      "a family's refresh token lies apart from its clients and signs in a sibling client", .sharing
    ) {
      environment in
      let mail = try Samples.cache(environment.backend, client: "mail-client")
      try await mail.save(try Samples.response(scope: "mail.read", foci: "1"), scopes: ["mail.read"])
      try await environment.settle()
      let family = RecordKey.family(
        homeAccountID: Samples.homeAccountID, environment: "login.windows.net", familyID: "1")
      let shared = try await environment.other.record(for: family)?.document()
      try expect(shared?.credentials.map(\.secret), is: ["rt"], "the family's refresh token")
      let calendar = try Samples.cache(
        environment.other, app: "com.contoso.calendar", client: "calendar-client")
      try expect(try await calendar.accounts().count, is: 1, "the sibling client's accounts")
    },
    ContractCase("two accounts are told apart by identifier and by user name", .sharing) { environment in
      let cache = try Samples.cache(environment.backend)
      let grace = "00000000-80ba-4c40-97bc-f7a23c703084"
      try await cache.save(try Samples.response(scope: "a"), scopes: ["a"])
      try await cache.save(
        try Samples.response(scope: "a", user: "Grace@Contoso.com", uid: grace, token: "grace"), scopes: ["a"]
      )
      try await environment.settle()
      let other = try Samples.cache(environment.other)
      try expect(try await other.accounts().count, is: 2, "accounts")
      let found = try await other.account(username: "grace@contoso.COM")
      try expect(found?.identifier, is: "\(grace).\(Samples.utid)", "the identifier")
      try expect(
        try await other.account(identifier: Samples.homeAccountID)?.username, is: "ada@contoso.com",
        "the name")
      try expect(try await other.account(identifier: "nobody") == nil, is: true, "an unknown identifier")
    },
  ]
}
