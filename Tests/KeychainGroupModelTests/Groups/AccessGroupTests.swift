// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Access group")
struct AccessGroupTests {
  @Test("A name of ASCII letters, digits, '.', '-' and '_' is valid", arguments: BadName.good)
  func goodName(_ name: String) throws {
    let group = try AccessGroup(name)
    #expect(group.name == name)
    #expect(group.publisher == nil)
    #expect(group.description == name)
  }

  @Test("An invalid name is refused with the reason", arguments: BadName.all)
  func badName(_ bad: BadName) throws {
    try bad.expectRefusal(as: "access group's name") { name throws in _ = try AccessGroup(name) }
  }

  @Test("Groups with one name and different publishers are different")
  func publishers() throws {
    let name = "com.contoso.shared"
    let contoso = try AccessGroup(name, publisher: Publisher("contoso"))
    let fabrikam = try AccessGroup(name, publisher: Publisher("fabrikam"))
    let nobody = try AccessGroup(name)
    #expect(Set([contoso, fabrikam, nobody]).count == 3)
    #expect(try contoso == AccessGroup(name, publisher: Publisher("contoso")))
  }

  @Test("Group names are case-sensitive")
  func letterCase() throws {
    #expect(try AccessGroup("com.contoso.shared") != AccessGroup("com.Contoso.shared"))
  }

  @Test("The description tells the name and the publisher apart; entitlements write the publisher first")
  func description() throws {
    let group = try AccessGroup("com.contoso.shared", publisher: Publisher("UBF8T346G9"))
    #expect(group.description == "com.contoso.shared of the publisher UBF8T346G9")
    #expect(group.qualifiedName == "UBF8T346G9.com.contoso.shared")
  }

  @Test("MSAL's default groups have the names that they have on iOS and macOS, and no publisher")
  func defaults() {
    #expect(AccessGroup.adalCache.name == "com.microsoft.adalcache")
    #expect(AccessGroup.universalStorage.name == "com.microsoft.identity.universalstorage")
    #expect(AccessGroup.adalCache.publisher == nil)
    #expect(AccessGroup.universalStorage.publisher == nil)
  }
}
