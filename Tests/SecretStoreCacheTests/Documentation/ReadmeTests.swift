// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
  @Test("shows the example that is compiled here")
  func example() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let source = try String(contentsOf: folder.appending(path: "ReadmeSnippet.swift"), encoding: .utf8)
    let readme = try String(
      contentsOf: folder.appending(path: "../../../README.md").standardized, encoding: .utf8)
    let compiled = try #require(
      source.components(separatedBy: "    // begin\n").last?.components(separatedBy: "    // end\n").first)
    let lines = compiled.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }
    #expect(readme.contains("import SecretStoreCache\n\n" + lines.joined(separator: "\n")))
  }
}
