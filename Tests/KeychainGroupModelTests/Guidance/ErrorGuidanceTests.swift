// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

/// What Microsoft's page "Migrate applications to MSAL for iOS and macOS" asks of errors.
@Suite("Error guidance")
struct ErrorGuidanceTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../Sources/SecretStoreCache/Documentation.docc/GettingStarted.md")

  /// The cells of the table of errors, by code.
  private static func rows() throws -> [(code: String, cells: [String])] {
    let text = try String(contentsOf: page.standardized, encoding: .utf8)
    let table = try #require(text.components(separatedBy: "## What the errors say\n").last)
    return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (cells[0].trimmingCharacters(in: ["`"]), Array(cells.dropFirst()))
    }
  }

  @Test("The table of errors has one row for each code, with when, what to do, and MSAL's name")
  func table() throws {
    let rows = try Self.rows()
    #expect(rows.map(\.code).sorted() == SecretStoreError.Code.all.map(\.description).sorted())
    for row in rows {
      #expect(row.cells.count == 3 && row.cells.allSatisfy { !$0.isEmpty }, "\(row.code)")
    }
  }

  @Test(
    "\"There are a limited number of errors developer must handle\": the table names them as MSAL does",
    arguments: [
      ("MSALErrorInteractionRequired", SecretStoreError.Code.interactionRequired),
      ("MSALErrorServerDeclinedScopes", .declinedScopes),
    ])
  func named(name: String, code: SecretStoreError.Code) throws {
    let rows = try Self.rows().filter { $0.cells.last?.contains("`\(name)`") == true }
    #expect(rows.map(\.code) == [code.description])
  }
}
