// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

/// The files of `Fixtures/unified-cache`: test data of MSAL for other languages.
enum Fixtures {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.resourceURL)
    return [UInt8](try Data(contentsOf: folder.appending(path: "Fixtures/unified-cache/\(name)")))
  }

  static func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  static func object(_ name: String) throws -> JSONObject {
    try #require(try JSONValue(parsing: try bytes(name)).objectValue)
  }
}
