// SPDX-License-Identifier: MIT

import FoundationEssentials

/// What a group remembers of token endpoints that asked to be left alone, or refused a refresh token for good.
///
/// It is shared by all apps of the group, so that a hundred callers that wait do not send the same refused request
/// a hundred times. It holds digests and error codes.
struct Throttling {
  /// How long a server that is busy or broken is left alone when it doesn't say, in seconds.
  static let defaultDelay: TimeInterval = 60
  /// The longest that a server is left alone, whatever it says, in seconds.
  static let maximumDelay: TimeInterval = 3600
  /// How long a refused request is not sent again, in seconds.
  static let refusalDelay: TimeInterval = 120

  /// The group's record of it.
  static let record = RecordKey.groupData("throttling")

  private static let member = "throttling"

  private var entries: JSONObject

  init(in document: CacheDocument?) { entries = document?[member: Self.member]?.objectValue ?? [:] }

  /// Why a request is not to be sent now; `nil` when it may be.
  ///
  /// An entry further in the future than any is made was made before the clock was set back, and counts as over.
  func refusal(of thumbprints: Thumbprints, at now: Date) -> OAuthError? {
    for thumbprint in [thumbprints.server, thumbprints.full] {
      guard let entry = entries[thumbprint]?.objectValue, let until = UnixTime.date(entry["until"]),
        until > now, until <= now.addingTimeInterval(Self.maximumDelay)
      else { continue }
      return OAuthError(
        status: entry["status"]?.textValue.flatMap { Int($0) } ?? 0, code: entry["error"]?.stringValue,
        suberror: entry["suberror"]?.stringValue,
        retryAfter: thumbprint == thumbprints.server ? until.timeIntervalSince(now) : nil)
    }
    return nil
  }

  /// Notes a refusal, and forgets those that are over.
  mutating func note(_ error: OAuthError, for thumbprint: String, until: Date, now: Date) {
    for (name, value) in entries {
      let end = UnixTime.date(value.objectValue?["until"]) ?? .distantPast
      if end <= now || end > now.addingTimeInterval(Self.maximumDelay) { entries[name] = nil }
    }
    var entry: JSONObject = ["status": .init(integerLiteral: error.status), "error": .string(error.code)]
    entry["until"] = UnixTime.value(until)
    entry["suberror"] = error.suberror.map(JSONValue.string)
    entries[thumbprint] = .object(entry)
  }

  func write(to document: inout CacheDocument) { document[member: Self.member] = .object(entries) }
}

extension Throttling {
  /// What requests are told apart by.
  struct Thumbprints {
    /// The same for requests that a busy server is to be spared: of one client, account, authority and set of scopes.
    let server: String
    /// The same for requests that the server would answer alike: a new sign-in, even one that brings the same refresh
    /// token, makes another revision of the record, and with it another request.
    let full: String

    init(_ request: TokenRequest, account: String, revision: Int) {
      let parameters = request.scheme.requestParameters.map { "\($0.name)=\($0.value)" }.joined(
        separator: "&")
      server = Self.digest([
        "server", request.clientID, request.authority.url.absoluteString,
        RecordKey.storedAccount(account),
        request.resource?.lowercased() ?? request.scopes.target.lowercased(),
      ])
      full = Self.digest([server, request.refreshToken, "\(revision)", request.claims ?? "", parameters])
    }

    private static func digest(_ parts: [String]) -> String { Digest.hex(parts.joined(separator: "\u{1F}")) }
  }
}
