// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

/// What Microsoft's pages "Migrate applications to MSAL for iOS and macOS" and "Enable cross-app SSO on iOS
/// using ADAL" ask of keychain access groups, rule by rule.
@Suite("Access group guidance")
struct AccessGroupGuidanceTests {
  /// The property list of the page on ADAL, verbatim.
  private static let propertyList = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "https://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>keychain-access-groups</key>
        <array>
            <string>$(AppIdentifierPrefix)com.myapp.mytestapp</string>
            <string>$(AppIdentifierPrefix)com.myapp.mycache</string>
        </array>
    </dict>
    </plist>
    """

  private func listed(publisher: String, app: String = "com.myapp.mytestapp") throws -> AppEntitlements {
    try AppEntitlements(propertyList: Data(Self.propertyList.utf8), app: app, publisher: publisher)
  }

  @Test(
    """
    "When you do have entitlements set up correctly you should see a file in your project directory entitled
    entitlements.plist that contains something that looks like the following"
    """)
  func propertyListAsWritten() throws {
    let app = try listed(publisher: "com.myapp")
    #expect(
      try app
        == AppEntitlements(
          app: "com.myapp.mytestapp", publisher: "com.myapp",
          groups: ["com.myapp.mytestapp", "com.myapp.mycache"]))
    for group in app.groups { try app.require(group) }
  }

  @Test("defaultKeychainSharingGroup names the group that an app shares through")
  func chosen() throws {
    let app = try listed(publisher: "myapp")
    #expect(app.keychainSharingGroup.name == "com.myapp.mytestapp")
    let sharing = try app.choosing(keychainSharingGroup: "com.myapp.mycache")
    #expect(sharing.keychainSharingGroup == app.groups[1])
  }

  @Test("Without a choice an app that lists com.microsoft.adalcache shares through it")
  func adalcache() throws {
    #expect(AppEntitlements.defaultKeychainSharingGroup == "com.microsoft.adalcache")
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.mail", "com.microsoft.adalcache"])
    #expect(app.keychainSharingGroup.name == "com.microsoft.adalcache")
  }

  @Test(
    """
    "Click + and enter a following Keychain Groups entry": an app that lists its own group first, or none, is known to
    share with no other until it chooses
    """)
  func withoutEntry() throws {
    let app = try listed(publisher: "com.myapp")
    #expect(app.unknowinglySharesNothing)
    #expect(try !app.choosing(keychainSharingGroup: "com.myapp.mycache").unknowinglySharesNothing)
    #expect(!app.withoutSharing.unknowinglySharesNothing)
    #expect(try AppEntitlements(app: "com.contoso.mail").unknowinglySharesNothing)
    for group in ["com.microsoft.adalcache", "com.microsoft.identity.universalstorage"] {
      let app = try AppEntitlements(app: "com.contoso.mail", groups: [group, "com.contoso.mail"])
      #expect(app.keychainSharingGroup.name == group && !app.unknowinglySharesNothing)
    }
  }

  @Test(
    "com.microsoft.identity.universalstorage, the default group on macOS, comes after com.microsoft.adalcache and before all others",
    arguments: [
      (["universalstorage"], "universalstorage"), (["misc", "universalstorage"], "universalstorage"),
      (["universalstorage", "adalcache"], "adalcache"), (["misc", "other"], "misc"),
    ])
  func universalStorage(listed: [String], used: String) throws {
    let names = [
      "adalcache": AccessGroup.adalCache.name, "universalstorage": AccessGroup.universalStorage.name,
      "misc": "com.contoso.misc", "other": "com.contoso.other",
    ]
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: listed.compactMap { names[$0] })
    #expect(app.keychainSharingGroup.name == names[used])
  }

  @Test("Apps that list the same group share it")
  func sameEntitlement() throws {
    let one = try listed(publisher: "myapp")
    let two = try listed(publisher: "myapp", app: "com.myapp.mytestapp2")
    #expect(try one.group("com.myapp.mycache") == two.group("com.myapp.mycache"))
    #expect(one.ownGroup != two.ownGroup)
  }

  @Test("Only apps of one publisher share: equal group names of another publisher are other groups")
  func samePublisher() throws {
    let one = try listed(publisher: "myapp")
    let other = try listed(publisher: "fabrikam")
    #expect(Set(one.groups).isDisjoint(with: other.groups))
    #expect(throws: SecretStoreError(.notEntitled, "")) { try other.require(one.groups[1]) }
  }

  @Test("An app that requests an unlisted group gets an error at once that names the manifest")
  func missingEntitlement() throws {
    let app = try listed(publisher: "myapp")
    let error = #expect(throws: SecretStoreError.self) {
      try app.choosing(keychainSharingGroup: "com.microsoft.adalcache")
    }
    #expect(error?.code == .notEntitled)
    #expect(error?.detail.contains("com.microsoft.adalcache") == true)
    #expect(error?.detail.contains("keychain-access-groups") == true)
  }
}
