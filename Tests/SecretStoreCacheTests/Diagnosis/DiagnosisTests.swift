// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Diagnosis")
struct DiagnosisTests {
  private static func check(_ name: String, _ result: CheckResult) -> Diagnosis.Check {
    .init(name, result)
  }

  @Test("The diagnosis has the severity of its worst check and the code of its first error")
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

  @Test("A skipped check is a warning with the reason")
  func skipped() {
    let check = Self.check("a", .skipped("there is no bus"))
    #expect(
      check.status == .warning && !check.wasPerformed && check.detail == "Skipped: there is no bus.")
  }

  @Test("The summary counts the errors, the warnings and the checks that were not made")
  func summary() {
    let fine = Self.check("a", .ok("Fine."))
    let odd = Self.check("b", .warning("Odd.", remedy: "x"))
    let locked = Self.check("c", .error(.groupLocked, "Locked.", remedy: "x"))
    let skipped = Self.check("d", .skipped("there is no bus"))
    #expect(Diagnosis(checks: [fine]).summary == "All is well.")
    #expect(Diagnosis(checks: [fine, skipped]).summary == "1 skipped.")
    #expect(
      Diagnosis(checks: [odd, locked, odd, skipped]).summary == "1 error, 2 warnings, 1 skipped.")
  }

  @Test("A repair that several checks name runs once")
  func repairs() throws {
    let repair = Diagnosis.Repair(kind: .moveIntoOneCollection, group: try AccessGroup("g"))
    let check = Self.check("a", .warning("Two.", remedy: "x", repair: repair))
    #expect(Diagnosis(checks: [check, check]).repairs == [repair])
  }

  @Test(
    "A word is quoted for the shell if necessary",
    arguments: [
      ("/run/user/1000/bus", "/run/user/1000/bus"), ("a b", "'a b'"), ("$(x)", "'$(x)'"),
      ("it's", "'it'\\''s'"),
      ("", "''"), ("~", "'~'"), ("a;b", "'a;b'"),
      ("a\u{202E}1", "$'a\\342\\200\\2561'"), ("it's\\\u{1B}", "$'it\\'s\\\\\\033'"),
    ])
  func quoting(word: String, quoted: String) { #expect(ShellWord.quoted(word) == quoted) }

  @Test("A name that begins with a hyphen is no option of the command that a remedy names")
  func hyphen() throws {
    let (odd, usual) = (try AccessGroup("-g", publisher: Publisher("-p")), try AccessGroup("g"))
    #expect(ToolCommand.on(odd, "damaged") == "sso-cache damaged --group=-g --publisher=-p")
    #expect(ToolCommand.on(usual, "damaged") == "sso-cache damaged --group g")
    #expect(ToolCommand.grant(odd, to: "a") == "sso-cache grant --publisher=-p -- a -g")
    #expect(ToolCommand.grant(usual, to: "-a") == "sso-cache grant -- -a g")
    #expect(ToolCommand.option("group", "-it's") == "--group='-it'\\''s'")
    #expect("-a".asOperand == "-- -a" && "a".asOperand == "a")
  }

  @Test("Entitlements are listed with their problems")
  func entitlements() throws {
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    #expect(EntitlementsCheck.result(of: .success(app)).status == .ok)
    let alone = EntitlementsCheck.result(of: .success(try AppEntitlements(app: "com.contoso.mail")))
    #expect(alone.status == .warning && alone.detail.contains("shares with no app"))
    #expect(alone.remedy.contains("com.microsoft.adalcache"))
    let open = EntitlementsCheck.result(
      of: .success(try AppEntitlements(app: "com.contoso.mail", groups: ["com.contoso.shared"])))
    #expect(open.status == .warning && open.detail.contains("names no publisher"))
    #expect(open.remedy.contains("X-KeychainPublisher"))
    let broken = EntitlementsCheck.result(of: .failure(SecretStoreError(.invalidFile, "")))
    #expect(broken.status == .error && broken.remedy.contains("sso-cache apps init"))
  }
}
