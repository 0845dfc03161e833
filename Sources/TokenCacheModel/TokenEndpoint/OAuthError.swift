// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// A token endpoint's error response (RFC 6749 section 5.2), with the members that Microsoft's endpoints add.
///
/// It is the `underlying` error of the `SecretStoreError` that a refused refresh throws.
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error code, such as `invalid_grant`; empty when the body was no OAuth error, and `unreadable_error` for a code
  /// that could hold something else, as one with spaces or of more than 64 characters.
  public let code: String
  /// Microsoft's `suberror`, such as `bad_token` or `client_mismatch`.
  public let suberror: String?
  /// The HTTP status.
  public let status: Int

  /// The number of seconds, from the error on, in which no request is sent; `nil` without such a limit.
  public internal(set) var retryAfter: TimeInterval?

  /// Parses an error response; a body that is no OAuth error gives an empty code.
  public init(status: Int, body: [UInt8]) {
    let object = JSONValue.lenientObject(body)
    self.status = status
    let error = object?["error"]?.stringValue ?? ""
    self.code = Self.errorCode(error) ?? (error.isEmpty ? "" : Self.unreadable)
    self.suberror = Self.errorCode(object?["suberror"]?.stringValue)
  }

  /// Parses the response to a request, without codes that repeat its refresh token.
  init(_ response: TokenEndpointResponse, to request: TokenRequest) {
    let read = Self(status: response.status, body: response.body)
    func isRepetition(_ code: String) -> Bool { Self.isRepetition(code, of: request.refreshToken) }
    status = read.status
    code = isRepetition(read.code) ? Self.unreadable : read.code
    suberror = read.suberror.flatMap { isRepetition($0) ? nil : $0 }
  }

  private static let unreadable = "unreadable_error"

  /// Returns whether a code contains the token, or is a part of it of at least 24 bytes, which is longer than most
  /// codes.
  private static func isRepetition(_ code: String, of token: String) -> Bool {
    (token.utf8.count >= 8 && code.contains(token)) || (code.utf8.count >= 24 && token.contains(code))
  }

  /// Creates an error from a stored refusal.
  init(status: Int, code: String?, suberror: String?, retryAfter: TimeInterval?) {
    self.retryAfter = retryAfter
    self.status = status
    self.code = Self.errorCode(code) ?? ""
    self.suberror = Self.errorCode(suberror)
  }

  /// The code in telemetry: the server's, else its HTTP status.
  var telemetryCode: String { code.isEmpty ? "\(status)" : code }

  /// Whether the server is busy or broken (status 429 or 500 to 599), so that a later request may succeed.
  public var isOutage: Bool { status == 429 || (500...599).contains(status) }

  /// Whether a new sign-in can help.
  ///
  /// It can after every OAuth error except an outage and an error of the request, of the client, of the device
  /// (`protection_policy_required`) or of the load. A response without an OAuth error says nothing of the refresh
  /// token, as a gateway's.
  public var asksForInteraction: Bool {
    !code.isEmpty && !isOutage && !requiresProtectionPolicy && !Self.beyondSignIn.contains(code)
  }

  /// Whether the organization gives tokens only to apps and devices that its app protection policy covers
  /// (`protection_policy_required`).
  public var requiresProtectionPolicy: Bool { suberror == "protection_policy_required" }

  /// Whether the organization's conditional access refused the request.
  ///
  /// Only an interactive request can show the person what it asks for. With the ``suberror`` `basic_action` the person
  /// does that in the sign-in, such as a second factor. With `additional_action` it is outside of it, such as enrolling
  /// the device. With `message_only` there is nothing to do, and the sign-in says why.
  public var isConditionalAccess: Bool {
    suberror.map(["basic_action", "additional_action", "message_only"].contains) ?? false
  }

  /// What asks for the user, and says nothing of the refresh token.
  static let askingForUser: Set<String> = [
    "interaction_required", "login_required", "consent_required", "account_selection_required",
  ]

  private static let beyondSignIn: Set<String> = [
    "invalid_scope", "invalid_client", "invalid_request", "invalid_resource", "invalid_target",
    "unsupported_grant_type", "unauthorized_client", "access_denied", "server_error",
    "temporarily_unavailable", "slow_down", "authorization_pending", "request_timeout", "too_many_requests",
    "rate_limited",
  ]

  /// The status and the codes.
  ///
  /// `error_description` is left out: some servers repeat the request in it.
  public var description: String {
    let codes = ([code.isEmpty ? nil : code, suberror].compactMap { $0 }).joined(separator: ", ")
    return codes.isEmpty ? "HTTP status \(status)" : "HTTP status \(status): \(codes)"
  }

  /// Returns the text if it looks like an error code of RFC 6749 and has at most 64 characters.
  private static func errorCode(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
    let allowed = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return allowed ? text : nil
  }
}

extension OAuthError: PublishableError {}
