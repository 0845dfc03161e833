// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel

/// A token endpoint's error answer (RFC 6749 section 5.2), with the members that Microsoft's endpoints add.
///
/// It is the `underlying` error of the `SecretStoreError` that a refused refresh ends in.
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error's code, such as `invalid_grant`; empty when the body was no OAuth error.
  public let code: String
  /// Microsoft's `suberror`, such as `bad_token` or `client_mismatch`.
  public let suberror: String?
  /// The HTTP status.
  public let status: Int

  /// How long the server is left alone, in seconds from the error on; `nil` when it is not.
  public internal(set) var retryAfter: TimeInterval?

  /// Reads the endpoint's answer; a body that is no OAuth error gives an empty code.
  public init(status: Int, body: [UInt8]) {
    let object = JSONValue.lenientObject(body)
    self.status = status
    self.code = Self.word(object?["error"]?.stringValue) ?? ""
    self.suberror = Self.word(object?["suberror"]?.stringValue)
  }

  /// Reads the answer to a request, and leaves out codes that repeat its refresh token.
  init(_ reply: TokenEndpointReply, to request: TokenRequest) {
    let read = Self(status: reply.status, body: reply.body)
    func isRepetition(_ code: String) -> Bool { Self.isRepetition(code, of: request.refreshToken) }
    status = read.status
    code = isRepetition(read.code) ? "" : read.code
    suberror = read.suberror.flatMap { isRepetition($0) ? nil : $0 }
  }

  /// Whether a code holds a token, or a part of one that is longer than most codes.
  private static func isRepetition(_ code: String, of token: String) -> Bool {
    (token.utf8.count >= 8 && code.contains(token)) || (code.utf8.count >= 24 && token.contains(code))
  }

  /// Makes an error that was remembered.
  init(status: Int, code: String?, suberror: String?, retryAfter: TimeInterval?) {
    self.retryAfter = retryAfter
    self.status = status
    self.code = Self.word(code) ?? ""
    self.suberror = Self.word(suberror)
  }

  /// Whether the server is busy or broken, and may answer otherwise later.
  public var isOutage: Bool { status == 429 || (500...599).contains(status) }

  /// Whether signing in again can mend it: every refusal but those of the request itself, of the client, and of the
  /// device (`protection_policy_required`).
  ///
  /// Some servers refuse a refresh token by status 400 or 401 alone, without an OAuth error.
  public var asksForInteraction: Bool {
    if code.isEmpty { return status == 400 || status == 401 }
    return !isOutage && suberror != "protection_policy_required"
      && !Self.beyondSignIn.contains(code)
  }

  private static let beyondSignIn: Set<String> = [
    "invalid_scope", "invalid_client", "invalid_request", "unsupported_grant_type", "server_error",
    "temporarily_unavailable",
  ]

  /// The status and the codes.
  ///
  /// `error_description` is left out: some servers repeat the request in it.
  public var description: String {
    let codes = ([code.isEmpty ? nil : code, suberror].compactMap { $0 }).joined(separator: ", ")
    return codes.isEmpty ? "HTTP status \(status)" : "HTTP status \(status): \(codes)"
  }

  /// The text if it is an error code as RFC 6749 spells them and no longer than 64 characters.
  private static func word(_ text: String?) -> String? {
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
