// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Reads ADAL.NET's cache: a schema, a count, and so many pairs of a key and a value of JSON.
enum DotNetCacheReader {
  static func read(_ bytes: [UInt8], into list: inout ADALEntryList) throws(SecretStoreError) {
    var stream = DotNetStream(bytes)
    let schema = try stream.integer()
    guard let schema = DotNetSchema(rawValue: schema) else {
      throw SecretStoreError(.corruptItem, "The stream is of schema \(schema); 2 and 3 are known.")
    }
    let count = try stream.integer()
    // An entry takes a byte for the length of its key, and one for that of its value.
    guard 0...(stream.rest / 2) ~= Int(count) else {
      throw SecretStoreError(.corruptItem, "The stream counts \(count) entries, which it can't hold.")
    }
    var entries: [DotNetEntry] = []
    for _ in 0..<count { entries.append(DotNetEntry(key: try stream.text(), value: try stream.text())) }
    guard stream.rest == 0 else {
      throw SecretStoreError(.corruptItem, "The stream goes on after its \(count) entries.")
    }
    for entry in entries {
      try list.take { () throws(ADALEntryProblem) in try entry.read(schema) }
    }
  }
}
