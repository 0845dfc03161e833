// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

extension AccountDirectory {
  /// An account that another tool of the user is signed in to, without a token.
  ///
  /// An app offers it to the user, and passes its user name as `login_hint` in a sign-in. Its description shows no
  /// content.
  public struct Hint: Sendable, Hashable {
    /// The account's identifier, `uid.utid` in Azure AD.
    public let identifier: String
    /// The user name, for `login_hint`.
    public let username: String
    /// The host of the cloud, such as `login.microsoftonline.com`.
    public let environment: String
    /// The tenant, empty when the tool names none.
    public let tenant: String
    /// The tool that is signed in, such as `azure-cli`.
    public let source: String

    /// Creates a hint.
    ///
    /// The result is `nil` when there is no user name, or a part holds a control character.
    package init?(
      identifier: String, username: String, environment: String, tenant: String, source: String
    ) {
      let parts = [identifier, username, environment, tenant, source]
      guard !username.isEmpty, !parts.contains(where: { $0.hasUnsafeCharacter || $0.utf8.count > 1024 })
      else { return nil }
      self.identifier = identifier
      self.username = username
      self.environment = environment
      self.tenant = tenant
      self.source = source
    }
  }

  /// The record that keeps the hints.
  package static let hintRecord = RecordKey.groupData("account-hints")
  private static let hintMember = "account_hints"
  /// The largest number of hints that are kept.
  private static let maximumHints = 500

  /// Returns the accounts that `sso-cache import --from` found in the caches of other tools, sorted by user name.
  ///
  /// A hint is what the user's tool knew at the time; the account may be signed in to the group, or signed out since.
  /// ``removeEverything(recordedAs:clock:)`` removes the hints.
  ///
  /// - Throws: `corruptItem` when the record can't be read, and whatever the back end throws.
  public func hints() async throws -> [Hint] {
    Self.sorted(Self.hints(in: try await backend.record(for: Self.hintRecord)?.document()))
  }

  /// Returns the hints as ``hints()``, and their record if it can't be read.
  package func readableHints() async throws -> (hints: [Hint], damaged: [DamagedRecord]) {
    let record = try await backend.record(for: Self.hintRecord)
    let damaged = record.flatMap(DamagedRecord.init)
    return (Self.sorted(Self.hints(in: try? record?.document())), [damaged].compactMap(\.self))
  }

  private static func sorted(_ hints: [Hint]) -> [Hint] {
    hints.sorted { (Username($0.username), $0.source) < (Username($1.username), $1.source) }
  }

  /// Stores what a tool knows in place of what it knew before.
  ///
  /// - Parameter isDryRun: Whether nothing is written.
  /// - Returns: The number of the tool's hints that the group has then, or would have.
  @discardableResult
  package func replaceHints(
    of source: String, with hints: [Hint], isDryRun: Bool = false
  ) async throws -> Int {
    let known = try await self.hints()
    let kept = hints.suffix(Self.maximumHints)
    if isDryRun || Set(known.filter { $0.source == source }) == Set(kept) { return kept.count }
    try await backend.update(Self.hintRecord) { stored in
      var document = stored ?? CacheDocument()
      let others = Self.hints(in: document).filter { $0.source != source }
      document[member: Self.hintMember] = .array((others + kept).suffix(Self.maximumHints).map(\.json))
      stored = document
    }
    return kept.count
  }

  private static func hints(in document: CacheDocument?) -> [Hint] {
    (document?[member: hintMember]?.arrayValue ?? []).compactMap { value in
      func text(_ name: String) -> String { value.objectValue?[name]?.stringValue ?? "" }
      return Hint(
        identifier: text("home_account_id"), username: text("username"), environment: text("environment"),
        tenant: text("tenant"), source: text("source"))
    }
  }
}

extension AccountDirectory.Hint: CustomStringConvertible, CustomReflectable {
  fileprivate var json: JSONValue {
    .object([
      "home_account_id": .string(identifier), "username": .string(username),
      "environment": .string(environment),
      "tenant": .string(tenant), "source": .string(source),
    ])
  }

  /// The name of the type, without any content.
  public var description: String { "AccountDirectory.Hint(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
