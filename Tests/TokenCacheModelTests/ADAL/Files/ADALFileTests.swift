// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("ADAL file")
struct ADALFileTests {
  @Test("A file truncated at any byte throws invalidFile", arguments: ADALSamples.files)
  func truncated(_ file: (name: String, format: ADALFileFormat)) throws {
    var bytes = try ADALSamples.bytes(file.name)
    // A file that ends in white space is also complete without it.
    while file.format != .dotnet, bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    #expect(try ADALFile(parsing: bytes, as: file.format, timeZone: ADALSamples.utc).tokens.isEmpty == false)
    var whole: [Int] = []
    for length in 0..<bytes.count {
      do throws(SecretStoreError) {
        _ = try ADALFile(parsing: Array(bytes.prefix(length)), as: file.format, skippingInvalid: true)
        whole.append(length)
      } catch {
        if error.code != .invalidFile { whole.append(length) }
      }
    }
    #expect(whole == [])
  }

  private static let small = ADALSamples.files.filter { $0.format != .dotnet }

  @Test("A changed byte causes at most invalidFile", arguments: small)
  func changed(_ file: (name: String, format: ADALFileFormat)) throws {
    let bytes = try ADALSamples.bytes(file.name)
    for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 80)) {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        do throws(SecretStoreError) {
          _ = try ADALFile(parsing: changed, as: file.format, skippingInvalid: bit.isMultiple(of: 2))
        } catch {
          if error.code != .invalidFile { Issue.record("\(error.code) after a change at \(place)") }
        }
      }
    }
  }

  @Test(
    "A file in one format throws invalidFile in another", arguments: ADALSamples.files,
    ADALFileFormat.allCases)
  func otherForms(_ file: (name: String, format: ADALFileFormat), _ format: ADALFileFormat) throws {
    let bytes = try ADALSamples.bytes(file.name)
    let isJSON = [file.format, format].allSatisfy { $0 == .python || $0 == .azureCLI }
    if isJSON || format == file.format {
      #expect(try !ADALFile(parsing: bytes, as: format, timeZone: ADALSamples.utc).tokens.isEmpty)
    } else {
      #expect(throws: SecretStoreError(.invalidFile, "")) { try ADALFile(parsing: bytes, as: format) }
    }
  }

  @Test(
    "A file that is too large throws invalidFile, and the error states the size",
    arguments: ADALFileFormat.allCases)
  func large(_ format: ADALFileFormat) {
    let bytes = [UInt8](repeating: UInt8(ascii: " "), count: ADALFile.maximumBytes + 1)
    let error = #expect(throws: SecretStoreError(.invalidFile, "")) {
      try ADALFile(parsing: bytes, as: format)
    }
    #expect(error?.detail.contains("larger than \(ADALFile.maximumBytes) bytes") == true)
  }

  @Test("Formats without a writer throw invalidArgument", arguments: ADALFileFormat.allCases)
  func written(_ format: ADALFileFormat) throws {
    let file = ADALFile(tokens: [])
    if format.isWritten {
      let bytes = try file.serialized(as: format).bytes
      #expect(try ADALFile(parsing: bytes, as: format).tokens.isEmpty)
    } else {
      #expect(throws: SecretStoreError(.invalidArgument, "")) { try file.serialized(as: format) }
    }
  }

  @Test("No description and no error shows a token")
  func redaction() throws {
    let file = try ADALSamples.python(ADALSamples.response(["accessToken": "hunter2"]))
    let export = try file.serialized(as: .python)
    let bad = ADALSamples.response(["accessToken": "hunter2", "refreshToken": ["hunter2"], "hunter2": 1])
    let error = #expect(throws: SecretStoreError.self) { try ADALSamples.python(bad) }
    let skipped = try ADALSamples.python(bad, skippingInvalid: true)
    let subjects: [Any] = [file, export, error as Any, skipped, skipped.leftOut, [file.tokens]]
    for subject in subjects {
      for text in RedactionProbe.texts(of: subject) { #expect(!text.contains("hunter2")) }
    }
    #expect(String(decoding: export.bytes, as: UTF8.self).contains("hunter2"))
  }

  @Test("The formats have the names that the tool uses")
  func names() {
    #expect(
      ADALFileFormat.allCases.map(\.rawValue) == ["adal-objc", "adal-dotnet", "adal-python", "azure-cli"])
  }
}
