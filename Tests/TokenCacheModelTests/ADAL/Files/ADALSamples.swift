// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@testable import ADALCache

/// ADAL files: the fixtures of `Fixtures/adal`, and files that the tests build.
enum ADALSamples {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.resourceURL)
    return [UInt8](try Data(contentsOf: folder.appending(path: "Fixtures/adal/\(name)")))
  }

  /// The fixtures, by name.
  static let files: [(name: String, format: ADALFileFormat)] = [
    ("adal-dotnet-v3.bin", .dotnet), ("adal-objc-item.plist", .objc), ("adal-objc-cache.plist", .objc),
    ("adal-python.json", .python), ("adal-node.json", .python), ("azure-cli.json", .azureCLI),
  ]

  static let tenant = "https://login.microsoftonline.com/contoso.com"
  static let client = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
  static let utc = TimeZone(secondsFromGMT: 0)

  /// A response in the form of ADAL for Python; `null` removes a member.
  static func response(_ changes: JSONObject = [:]) -> JSONValue {
    let members: JSONObject = [
      "tokenType": "Bearer", "expiresIn": 3600, "expiresOn": "2023-11-14 23:13:20", "resource": "r",
      "accessToken": "at", "refreshToken": "rt", "userId": "anna@contoso.com", "isUserIdDisplayable": true,
      "isMRRT": true, "_clientId": .string(client), "_authority": .string(tenant),
    ]
    return .object(members.changed(by: changes))
  }

  /// A cache of ADAL for Python.
  static func python(
    _ entries: JSONValue..., as format: ADALFileFormat = .python, skippingInvalid: Bool = false
  ) throws -> ADALFile {
    try ADALFile(
      parsing: JSONValue.array(entries).serialized(), as: format, skippingInvalid: skippingInvalid,
      timeZone: utc)
  }

  /// An entry of ADAL.NET.
  static func entry(
    authority: String = tenant, resource: String = "r", subject: String = "0", _ value: JSONValue
  ) -> (key: String, value: String) {
    let json = String(decoding: value.serialized(), as: UTF8.self)
    return ("\(authority):::\(resource):::\(client):::\(subject)", json)
  }

  /// A cache of ADAL.NET.
  static func dotnet(
    schema: Int32 = 3, count: Int32? = nil, _ entries: [(key: String, value: String)]
  ) -> [UInt8] {
    var bytes = integer(schema) + integer(count ?? Int32(entries.count))
    for entry in entries {
      for text in [entry.key, entry.value] { bytes += length(text.utf8.count) + Array(text.utf8) }
    }
    return bytes
  }

  static func integer(_ number: Int32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// A length, in groups of seven bits.
  static func length(_ count: Int) -> [UInt8] {
    count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80] + length(count >> 7)
  }
}
