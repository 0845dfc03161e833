// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel
import StrictJSON
package import UnifiedCache

/// The content of a tool's cache, read from untrusted bytes.
package struct PartnerContent: Sendable {
  /// The maximum size of a cache in bytes, encoded or not: 64 MiB.
  package static let maximumBytes = CacheTransfer.maximumBytes

  package let document: CacheDocument
  /// Whether the bytes are Base64 of the JSON.
  let isBase64: Bool

  /// Reads a cache as JSON, or as Base64 of JSON.
  ///
  /// - Throws: `invalidFile` when the bytes are larger than ``maximumBytes``, neither JSON nor Base64, or no unified
  ///   cache.
  package init(parsing bytes: [UInt8]) throws(SecretStoreError) {
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.invalidFile, "It is larger than \(Self.maximumBytes) bytes.")
    }
    let text = bytes[...].trimmed
    if text.isEmpty {
      document = CacheDocument()
      isBase64 = false
      return
    }
    var json = text
    isBase64 = ![UInt8(ascii: "{"), UInt8(ascii: "["), 0xef].contains(text.first)
    if isBase64 {
      guard let decoded = Data(base64Encoded: Data(text)) else {
        throw SecretStoreError(.invalidFile, "It is neither JSON nor Base64.")
      }
      json = Array(decoded)[...].trimmed
    }
    do {
      document = try CacheDocument(parsing: Array(json))
    } catch {
      throw SecretStoreError(.invalidFile, error.detail)
    }
    let names = Set(document.root.keys)
    guard names.isEmpty || CacheSection.allCases.contains(where: { names.contains($0.rawValue) }) else {
      throw SecretStoreError(.invalidFile, "It is JSON, but no cache of an MSAL.")
    }
    if let invalid = document.invalidEntries.first {
      throw SecretStoreError(.invalidFile, "Its \(invalid).")
    }
  }

  /// Returns a document in the form of this content: MSAL Python's JSON, or Base64 of JSON.
  func encoded(_ document: CacheDocument) -> [UInt8] {
    let json = JSONValue.object(document.root).serialized(pretty: !isBase64)
    return isBase64 ? Array(Data(json).base64EncodedData()) : json
  }

  /// Reads a record of an account: Visual Studio Code's `authRecord.json`, as a cache with that account.
  static func accountRecord(_ bytes: [UInt8]) throws(SecretStoreError) -> CacheDocument {
    let members = (try? JSONValue(parsing: bytes))?.objectValue
    guard let members, let identifier = members["homeAccountId"]?.stringValue,
      let environment = members["authority"]?.stringValue.flatMap(host)
    else { throw SecretStoreError(.invalidFile, "It has no homeAccountId, or no authority with a host.") }
    let fields: JSONObject = [
      "home_account_id": .string(identifier), "environment": .string(environment),
      "realm": .string(members["tenantId"]?.stringValue ?? ""),
      "username": .string(members["username"]?.stringValue ?? ""),
    ]
    guard let account = AccountEntry(.object(fields)) else {
      throw SecretStoreError(
        .invalidFile, "Its homeAccountId is empty, or one of its identifiers holds a control character.")
    }
    var document = CacheDocument()
    document.put(account)
    return document
  }

  /// Returns the host of an authority, which may be a URL.
  private static func host(_ authority: String) -> String? {
    let rest = authority.hasPrefix("https://") ? authority.dropFirst(8) : authority[...]
    let host = rest.prefix { $0 != "/" }
    return host.isEmpty ? nil : String(host)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32, 0].contains(byte) }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) })
    else {
      return []
    }
    return self[first...last]
  }
}
