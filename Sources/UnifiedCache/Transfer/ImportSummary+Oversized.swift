// SPDX-License-Identifier: MIT

extension ImportSummary {
  /// A part of the file that is too large for a record and was not imported.
  ///
  /// Its description shows neither the account nor a token.
  public struct Oversized: Sendable, Hashable {
    /// The key of the record that would hold the part.
    public let key: RecordKey

    /// The account's identifier; empty for what belongs to no account.
    public let homeAccountID: String

    init(_ key: RecordKey, _ part: CacheDocument) {
      self.key = key
      homeAccountID =
        part.credentials.map(\.homeAccountID).first { !$0.isEmpty } ?? part.accounts.first?.homeAccountID
        ?? ""
    }
  }
}

extension ImportSummary.Oversized: CustomStringConvertible, CustomReflectable {
  /// The purpose of the record, with its client and host.
  public var description: String { key.purpose }

  /// A mirror that shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}
