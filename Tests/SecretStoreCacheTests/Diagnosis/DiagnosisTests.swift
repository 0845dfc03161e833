// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("A diagnosis")
struct DiagnosisTests {
  private static func check(_ name: String, _ finding: Finding) -> Diagnosis.Check { .init(name, finding) }

  @Test("It is as bad as the worst check, and its code is the first error's")
  func worst() {
    let fine = Self.check("a", .ok("Fine."))
    let odd = Self.check("b", .warning("Odd.", remedy: "x"))
    let unnamed = Self.check("c", .error(nil, "The clock.", remedy: "x"))
    let locked = Self.check("d", .error(.groupLocked, "Locked.", remedy: "x"))
    let lost = Self.check("e", .error(.groupUnrecoverable, "Lost.", remedy: "x"))
    #expect(Diagnosis(checks: []).status == .ok && Diagnosis(checks: []).code == nil)
    #expect(Diagnosis(checks: [odd, fine]).status == .warning)
    #expect(Diagnosis(checks: [fine, unnamed]).status == .error)
    #expect(Diagnosis(checks: [fine, locked, lost]).code == .groupLocked)
  }

  @Test("What is not looked at is a warning, and says so")
  func skipped() {
    let check = Self.check("a", .notLookedAt("there is no bus"))
    #expect(
      check.status == .warning && !check.wasLookedAt && check.detail == "Not looked at: there is no bus.")
  }

  @Test("A repair that several checks name is done once")
  func repairs() throws {
    let repair = Diagnosis.Repair(kind: .gatherCollections, group: try AccessGroup("g"))
    let check = Self.check("a", .warning("Two.", remedy: "x", repair: repair))
    #expect(Diagnosis(checks: [check, check]).repairs == [repair])
  }

  @Test(
    "A word is quoted for the shell where that is needed",
    arguments: [
      ("/run/user/1000/bus", "/run/user/1000/bus"), ("a b", "'a b'"), ("$(x)", "'$(x)'"),
      ("it's", "'it'\\''s'"),
      ("", "''"), ("~", "'~'"), ("a;b", "'a;b'"),
    ])
  func quoting(word: String, quoted: String) { #expect(ToolCommand.quoted(word) == quoted) }

  @Test("Entitlements are told, and what is wrong with them")
  func entitlements() throws {
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    let (finding, read) = EntitlementsCheck(propertyList: Data(try app.propertyListText().utf8)).find()
    #expect(finding.status == .ok && read?.groups == app.groups)
    let (broken, none) = EntitlementsCheck(propertyList: Data("<plist>".utf8)).find()
    #expect(broken.status == .error && broken.remedy.contains("sso-cache apps init") && none == nil)
  }
}
