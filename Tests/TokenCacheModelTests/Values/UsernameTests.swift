// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("User names")
struct UsernameTests {
  @Test(
    "are compared without regard to case and surrounding white space, and to nothing else",
    arguments: [
      ("ada@contoso.com", "Ada@Contoso.COM", true), (" ada@contoso.com\t", "ada@contoso.com", true),
      ("ada@contoso.com", "ada@contoso.com ", true), ("ada @contoso.com", "ada@contoso.com", false),
      ("ada@contoso.com", "ada@contoso.org", false), ("", " ", true),
      ("groß@contoso.com", "GROSS@contoso.com", true), ("GROẞ@contoso.com", "groß@contoso.com", true),
      ("οδος@contoso.com", "ΟΔΟΣ@contoso.com", true), ("οδοσ@contoso.com", "οδος@contoso.com", true),
      ("ı@contoso.com", "i@contoso.com", false), ("ſ@contoso.com", "S@contoso.com", true),
    ])
  func comparison(_ left: String, _ right: String, _ isSame: Bool) {
    #expect((Username(left) == Username(right)) == isSame)
    #expect((DocumentMetadata.digest(ofName: left) == DocumentMetadata.digest(ofName: right)) == isSame)
  }

  @Test("are compared by the first 30 combining marks of a run, and an account shows no more")
  func combiningMarks() {
    func name(_ count: Int) -> String { "e" + String(repeating: "\u{301}", count: count) + "@contoso.com" }
    #expect(Username(name(30)) != Username(name(29)))
    #expect(Username(name(30)) == Username(name(400_000)))
    let account = Account(
      identifier: "1", username: name(400_000), environment: "id.contoso.com", name: name(31))
    #expect(account.username.utf8.elementsEqual(name(30).utf8))
    #expect(account.name?.utf8.elementsEqual(name(30).utf8) == true)
  }

  @Test(
    "find the record of an ADAL account without an ID, by a present and a former name",
    arguments: [true, false])
  func nameOfRecord(isFormer: Bool) {
    let (key, name) = (SharedGroup.key(), " Anna@Contoso.com\t")
    var document = CacheDocument()
    if isFormer {
      document.metadata.rememberNames([name])
    } else {
      var entry = AccountEntry(
        homeAccountID: TestUser.anna.identifier, environment: key.environment, realm: TestUser.anna.utid)
      entry.fields["username"] = .string(name)
      document.put(entry)
    }
    let account = Account(
      identifier: "", username: "anna@contoso.com", environment: key.environment, name: nil)
    #expect(NamedAccounts([(key, document)]).contains(account))
  }

  @Test("find an account as a user typed them")
  func lookup() async throws {
    let group = SharedGroup()
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response(1))
    #expect(try await mail.account(username: " \(account.username.uppercased()) ") == account)
  }
}

@Suite("Home account IDs")
struct HomeAccountIDTests {
  private static let guid = "0a6a4b2c-5d6e-4f70-8192-a3b4c5d6e7f8"

  @Test(
    "are compared without regard to case in Azure AD and B2C, and exactly elsewhere",
    arguments: [
      ("\(guid).\(guid)", true), ("\(guid)-b2c_1_signin.\(guid)", true), (guid, false),
      ("\(guid).contoso", false),
      ("ada@contoso.com", false), ("", false), ("\(guid)-b2c_a@b.\(guid)", false),
    ])
  func kinds(_ text: String, _ isAzureAD: Bool) {
    #expect(HomeAccountID(text).isAzureAD == isAzureAD)
    #expect((HomeAccountID(text) == HomeAccountID(text.uppercased())) == (isAzureAD || text.isEmpty))
    #expect((HomeAccountID(text).stored == text) == isAzureAD)
  }

  @Test(
    "have a user's ID and a tenant in Azure AD, and a policy in B2C",
    arguments: [
      ("\(guid).\(guid)", guid, false), ("\(guid)-b2c_1_signin.\(guid)", guid, true),
      (guid, nil, false), ("ada.\(guid)", nil, false), ("ada-b2c_1.\(guid)", nil, false), ("", nil, false),
    ] as [(String, String?, Bool)])
  func parts(_ text: String, _ part: String?, _ hasPolicy: Bool) {
    for id in [HomeAccountID(text), HomeAccountID(text.uppercased())] {
      #expect(id.uid == part && id.tenant == part && id.hasPolicy == hasPolicy)
    }
  }

  @Test("are named by an attribute in the stored form or in clear, in any spelling")
  func attributes() {
    for text in ["\(Self.guid).\(Self.guid)", "Ada"] {
      let id = HomeAccountID(text)
      for name in [text, id.stored, id.stored.uppercased()] { #expect(id.isNamed(by: name)) }
      #expect(!id.isNamed(by: "Boris") && !id.isNamed(by: ""))
    }
    #expect(!HomeAccountID("Ada").isNamed(by: "ada"))
  }

  @Test("are not named by the digest of another account, though they are spelled as it is")
  func digests() {
    let ada = HomeAccountID("Ada")
    #expect(!HomeAccountID(ada.stored).isNamed(by: ada.stored) && ada.isNamed(by: ada.stored))
    #expect(HomeAccountID(ada.stored).isNamed(by: HomeAccountID(ada.stored).stored))
  }
}
