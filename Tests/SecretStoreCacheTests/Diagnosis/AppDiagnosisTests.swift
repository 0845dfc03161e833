// SPDX-License-Identifier: MIT

import SecretStoreDiagnosis
import Testing

extension ServiceTests {
  @Suite("Diagnosis of an app", .serialized)
  struct AppDiagnosisTests {
    private let shared = PrivateSession.uniqueGroup()

    private func diagnosis(
      _ groups: [AccessGroup]? = nil, of listed: [String]
    ) async throws -> (app: AppEntitlements, diagnosis: Diagnosis) {
      _ = try PrivateSession.control
      let app = try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: listed)
      return (app, await ServiceSupport.store().diagnose(groups, app: app))
    }

    /// The groups that were checked.
    private func groups(_ diagnosis: Diagnosis) -> Set<AccessGroup> {
      Set(diagnosis.checks.compactMap(\.group))
    }

    private func entitlements(_ diagnosis: Diagnosis) -> String? {
      diagnosis.checks.first { $0.name == "entitlements" }?.detail
    }

    @Test("It checks the groups that the app lists")
    func listed() async throws {
      let (app, diagnosis) = try await diagnosis(of: [shared])
      #expect(groups(diagnosis) == Set(app.groups))
      #expect(entitlements(diagnosis) == "com.contoso.mail, of the publisher contoso, may use \(shared).")
      #expect(diagnosis.code == nil)
    }

    @Test("For an app that lists none, it checks the app's own group, and warns that nothing is shared")
    func own() async throws {
      let (app, diagnosis) = try await diagnosis(of: [])
      #expect(groups(diagnosis) == [app.ownGroup])
      let check = try #require(diagnosis.checks.first { $0.name == "entitlements" })
      #expect(check.detail.hasPrefix("com.contoso.mail, of the publisher contoso, may use its own group."))
      #expect(check.status == .warning && check.remedy.contains("com.microsoft.adalcache"))
    }

    @Test("It checks the groups that the caller names instead of the app's")
    func named() async throws {
      let other = try AccessGroup(PrivateSession.uniqueGroup())
      let (_, diagnosis) = try await diagnosis([other], of: [shared])
      #expect(groups(diagnosis) == [other])
      #expect(entitlements(diagnosis)?.hasSuffix("may use \(shared).") == true)
    }
  }
}
