// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
  @Test(
    "shows the examples that are compiled here",
    arguments: [
      ("ReadmeSnippet.swift", "import SecretStoreCache\n\n"), ("DeclaringSnippet.swift", "```swift\n"),
      ("WatchingSnippet.swift", "```swift\n"),
    ])
  func example(file: String, start: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    let readme = try String(
      contentsOf: folder.appending(path: "../../../README.md").standardized, encoding: .utf8)
    let compiled = try #require(
      source.components(separatedBy: "    // begin\n").last?.components(separatedBy: "    // end\n").first)
    let lines = compiled.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }
    #expect(readme.contains(start + lines.joined(separator: "\n")))
  }
}
