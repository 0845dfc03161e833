// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Publisher")
struct PublisherTests {
  @Test("A name of ASCII letters, digits, '.', '-' and '_' is valid", arguments: BadName.good)
  func goodName(_ name: String) throws {
    let publisher = try Publisher(name)
    #expect(publisher.name == name)
    #expect(publisher.description == name)
  }

  @Test("An invalid name is refused with the reason", arguments: BadName.all)
  func badName(_ bad: BadName) throws {
    try bad.expectRefusal(as: "publisher's name") { name throws in _ = try Publisher(name) }
  }
}
