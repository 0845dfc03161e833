// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App identifier")
struct AppIdentifierTests {
  @Test("A name of ASCII letters, digits, '.', '-' and '_' is valid", arguments: BadName.good)
  func goodName(_ name: String) throws {
    let app = try AppIdentifier(name)
    #expect(app.name == name)
    #expect(app.description == name)
  }

  @Test("An invalid name is refused with the reason", arguments: BadName.all)
  func badName(_ bad: BadName) throws {
    try bad.expectRefusal(as: "app identifier") { name throws in _ = try AppIdentifier(name) }
  }
}
