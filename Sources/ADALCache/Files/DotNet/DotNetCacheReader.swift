// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A reader of ADAL.NET's cache: a schema number, a count, and that many pairs of a key and a JSON value.
enum DotNetCacheReader {
  static func read(_ bytes: [UInt8], into list: inout ADALEntryList) throws(SecretStoreError) {
    var stream = DotNetStream(bytes)
    let schema = try stream.integer()
    guard let schema = DotNetSchema(rawValue: schema) else {
      throw SecretStoreError(.invalidFile, "The stream is of schema \(schema); 2 and 3 are known.")
    }
    let count = try stream.integer()
    // Each entry needs at least one byte for the length of its key and one for the length of its value.
    guard 0...(stream.rest / 2) ~= Int(count) else {
      throw SecretStoreError(.invalidFile, "The stream counts \(count) entries, which it can't hold.")
    }
    var entries: [DotNetEntry] = []
    for _ in 0..<count { entries.append(DotNetEntry(key: try stream.text(), value: try stream.text())) }
    guard stream.rest == 0 else {
      throw SecretStoreError(.invalidFile, "The stream goes on after its \(count) entries.")
    }
    for entry in entries {
      try list.add { () throws(ADALEntryProblem) in try entry.read(schema) }
    }
  }
}

/// The schemas of ADAL.NET's cache that can be read.
enum DotNetSchema: Int32 {
  /// ADAL.NET 2: the value is a result that contains its refresh token.
  case two = 2
  /// ADAL.NET 3 to 5, and MSAL.NET: the value contains a result and further members.
  case three = 3
}
