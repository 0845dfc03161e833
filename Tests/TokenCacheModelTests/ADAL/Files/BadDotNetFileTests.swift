// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("Malformed ADAL files of .NET")
struct BadDotNetFileTests {
  private static let good = ADALSamples.entry(["Result": ["AccessToken": "at"]])

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
      testDescription = name
      self.bytes = bytes
    }
  }

  private static func stream(_ text: [UInt8]) -> [UInt8] {
    ADALSamples.integer(3) + ADALSamples.integer(1) + text
  }

  private static let frames: [Bad] = [
    Bad("nothing", []), Bad("schema 0", ADALSamples.dotnet(schema: 0, [good])),
    Bad("schema 1", ADALSamples.dotnet(schema: 1, [good])),
    Bad("schema 4", ADALSamples.dotnet(schema: 4, [])),
    Bad("a negative schema", ADALSamples.dotnet(schema: -3, [good])),
    Bad("no count", ADALSamples.integer(3)),
    Bad("a count of one too many", ADALSamples.dotnet(count: 2, [good])),
    Bad("a count of one too few", ADALSamples.dotnet(count: 1, [good, good])),
    Bad("a count of none", ADALSamples.dotnet(count: 0, [good])),
    Bad("a negative count", ADALSamples.dotnet(count: -1, [good])),
    Bad("a huge count", ADALSamples.dotnet(count: .max, [good])),
    Bad("bytes after the end", ADALSamples.dotnet([good]) + [0]),
    Bad("a length that goes on", stream([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1])),
    Bad("a length that is cut off", stream([0x80, 0x80])),
    Bad("a huge length", stream([0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x61, 0x61])),
    Bad("a negative length", stream([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x61])),
    Bad("a length of one too many", stream([2, 0x61])),
    Bad("a key without a value", stream([1, 0x61, 0x80])),
  ]

  @Test(
    "A stream with a malformed structure throws invalidFile, also when invalid items may be skipped",
    arguments: frames, [true, false])
  func refusesFrame(_ bad: Bad, skippingInvalid: Bool) {
    #expect(throws: SecretStoreError(.invalidFile, "")) {
      try ADALFile(parsing: bad.bytes, as: .dotnet, skippingInvalid: skippingInvalid)
    }
  }

  @Test("A changed byte causes at most invalidFile")
  func changed() throws {
    let value: JSONValue = [
      "RefreshToken": "rt", "ResourceInResponse": "r",
      "Result": ["AccessToken": "at", "ExpiresOn": ["DateTime": "/Date(1455218790065)/"]],
    ]
    let bytes = ADALSamples.dotnet([Self.good, ADALSamples.entry(value)])
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        do throws(SecretStoreError) {
          _ = try ADALFile(parsing: changed, as: .dotnet, skippingInvalid: bit.isMultiple(of: 2))
        } catch {
          if error.code != .invalidFile { Issue.record("\(error.code) after a change at \(place)") }
        }
      }
    }
  }

  private static func result(_ members: JSONObject) -> JSONValue {
    ["Result": .object((["AccessToken": "at"] as JSONObject).changed(by: members))]
  }

  private static let keys = [
    "", "a", "a:::b", "a:::b:::c", "a:::b:::c:::", "a:::b:::c:::3", "a:::b:::c:::-1", "a:::b:::c:::00",
    "a:::b:::c:::0:::d", ":::b:::c:::0", "a:::b::::::0", "a::b::c::0", "a:::b:::c:::٠",
  ]

  @Test("An entry with a malformed key is invalid", arguments: keys)
  func refusesKey(_ key: String) throws { try expectInvalid((key, Self.good.value)) }

  private static let values: [JSONValue] = [
    [], "text", 1, .null, [:], ["Result": .null], ["Result": []], ["Result": [:]],
    result(["AccessToken": ""]),
    result(["AccessToken": 1]), result(["AccessToken": ["at"]]), result(["IdToken": true]),
    result(["TenantId": [:]]),
    result(["UserInfo": "anna"]), result(["UserInfo": ["DisplayableId": 1]]),
    result(["UserInfo": ["UniqueId": []]]),
    ["RefreshToken": "rt"], ["RefreshToken": 1, "Result": ["AccessToken": "at"]],
    ["ResourceInResponse": 1, "Result": ["AccessToken": "at"]],
    ["RawClientInfo": "!", "Result": ["AccessToken": "at"]],
    ["RawClientInfo": 1, "Result": ["AccessToken": "at"]],
    ["RawClientInfo": "e30", "Result": ["AccessToken": "at"]],
  ]

  @Test("An entry with a malformed value is invalid", arguments: values)
  func refusesValue(_ value: JSONValue) throws { try expectInvalid(ADALSamples.entry(value)) }

  @Test(
    "An entry whose value is no JSON is invalid",
    arguments: ["", "{", "{\"Result\":{\"AccessToken\":\"at\"},}", "<x/>"])
  func refusesText(_ text: String) throws { try expectInvalid((Self.good.key, text)) }

  private static let times: [JSONValue] = [
    "now", 1_455_218_790, "2016-02-11T19:26:30", "2016-02-30T19:26:30Z", "/Date()/", "/Date(1.5)/",
    "/Date(x)/",
    "/Date(1455218790065", "Date(1455218790065)", "/Date(1455218790065+1)/", "/Date(1455218790065+01:0)/",
    "/Date(--1)/", "/Date(99999999999999999999999)/", "/Date(-1)/", "/Date(18590000000000)/",
    "2559-02-11T19:26:30Z",
    "1437-05-02T19:26:30Z", ["DateTime": 1_455_218_790_065], ["DateTime": [:]], [], true,
  ]

  @Test("A time without a zone, in another calendar, out of range or malformed is invalid", arguments: times)
  func refusesTime(_ time: JSONValue) throws {
    try expectInvalid(ADALSamples.entry(Self.result(["ExpiresOn": time])))
    try expectInvalid(ADALSamples.entry(Self.result(["ExtendedExpiresOn": time])))
  }

  @Test("A token that is too large is invalid")
  func large() throws {
    let limit = TokenResponse.maximumTokenBytes
    for (size, isValid) in [(limit, true), (limit + 1, false)] {
      let text = JSONValue.string(String(repeating: "a", count: size))
      let entries = [
        ADALSamples.entry(Self.result(["AccessToken": text])),
        ADALSamples.entry(Self.result(["IdToken": text])),
        ADALSamples.entry(["RefreshToken": text, "Result": [:]]),
      ]
      for entry in entries {
        if isValid {
          #expect(try ADALFile(parsing: ADALSamples.dotnet([entry]), as: .dotnet).tokens.count == 1)
        } else {
          try expectInvalid(entry)
        }
      }
    }
  }

  /// Expects that an entry makes the file corrupt, or that the reader skips it and reads the others.
  private func expectInvalid(
    _ entry: (key: String, value: String), sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let last = ADALSamples.entry(resource: "other", ["Result": ["AccessToken": "other"]])
    let bytes = ADALSamples.dotnet([Self.good, entry, last])
    let error = #expect(throws: SecretStoreError(.invalidFile, ""), sourceLocation: sourceLocation) {
      try ADALFile(parsing: bytes, as: .dotnet)
    }
    #expect(error?.detail.contains("index 1") == true, sourceLocation: sourceLocation)
    let file = try ADALFile(parsing: bytes, as: .dotnet, skippingInvalid: true)
    #expect(file.tokens.map(\.accessToken) == ["at", "other"], sourceLocation: sourceLocation)
    #expect(file.leftOut.map(\.index) == [1], sourceLocation: sourceLocation)
    #expect(file.leftOut.map(\.reason) == [.invalid], sourceLocation: sourceLocation)
    #expect(file.leftOut.first?.detail?.isEmpty == false, sourceLocation: sourceLocation)
  }
}
