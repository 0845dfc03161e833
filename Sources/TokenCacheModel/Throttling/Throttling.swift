// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON
import UnifiedCache

/// A group's memory of token endpoints that asked to wait or that refused a refresh token.
///
/// All apps of the group share it, so that a hundred waiting callers do not send the same refused request a hundred
/// times. It holds digests and error codes only.
package struct Throttling {
  /// The wait in seconds when a busy or broken server gives no time.
  static let defaultDelay: TimeInterval = 60
  /// The longest wait in seconds, whatever the server asks for.
  static let maximumDelay: TimeInterval = 3600
  /// The time in seconds for which a refused request is not sent again.
  static let refusalDelay: TimeInterval = 120

  /// The key of the group's throttling record.
  static let record = RecordKey.groupData("throttling")

  private static let member = "throttling"

  private var entries: JSONObject

  init(in document: CacheDocument?) { entries = document?[member: Self.member]?.objectValue ?? [:] }

  /// Returns the refusal because of which a request must not be sent now; `nil` when it may be sent.
  ///
  /// An entry counts as expired when it ends later than ``maximumDelay`` from now: the clock was set back since.
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

  /// Records a refusal and removes the expired ones.
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
  /// The digests by which requests are told apart.
  package struct Thumbprints {
    /// The digest of the client, account, authority and scopes: requests that wait together for a busy server.
    let server: String
    /// The digest of the whole request: requests that get the same response from the server.
    ///
    /// It includes the record's revision, so that a new sign-in makes a new request even if it brings the same refresh
    /// token.
    let full: String

    package init(_ request: TokenRequest, account: String, revision: Int) {
      let parameters = TokenRequest.encode(request.scheme.requestParameters + request.extraParameters)
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
