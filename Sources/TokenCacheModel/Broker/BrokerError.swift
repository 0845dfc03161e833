// SPDX-License-Identifier: MIT

import FoundationEssentials
public import KeychainGroupModel
import StrictJSON

extension SecretStoreError {
  /// What the identity broker refused, or why it gave no reply: the underlying error of a call that asked a broker.
  ///
  /// It holds numbers and codes. The broker's own sentences are left out, because they may repeat a token or a name.
  public struct BrokerError: Error, Sendable, Hashable {
    enum Cause: Sendable, Hashable {
      /// The broker replied with an error.
      case refused
      /// No reply came in time.
      case late
      /// The broker could not be started, or went away before it replied.
      case gone
      /// The reply is not as it should be; the text is this package's.
      case malformed(String)
    }

    let cause: Cause
    /// The broker's `status`, such as 2 for "interaction required"; `nil` when it gave none.
    public internal(set) var status: Int?
    /// The broker's `subStatus`; `nil` when it gave none.
    public internal(set) var subStatus: Int?
    /// The code of Microsoft's authority, such as `AADSTS50078`; `nil` when the broker named none.
    public internal(set) var authorityCode: String?
    /// The OAuth error code of the authority, such as `invalid_grant`; `nil` when the broker named none.
    public internal(set) var oauthCode: String?
    /// The name of the D-Bus error, if it is one of D-Bus's own; `nil` for another one and for none.
    public internal(set) var busError: String?
    /// Whether the broker replied with a D-Bus error.
    var isBusError = false
    /// Whether the broker refused because the authority declined scopes.
    var declinesScopes = false

    init(_ cause: Cause) { self.cause = cause }

    /// No reply came in time.
    package static let late = Self(.late)
    /// The broker could not be started, or went away before it replied.
    package static let gone = Self(.gone)
    /// The reply has another D-Bus type than its method's.
    package static let wrongType = malformed("is of another D-Bus type than a text")

    static func malformed(_ what: String) -> Self { Self(.malformed(what)) }

    /// Creates the error of a D-Bus error with a name, which its sender chose.
    package static func busError(named name: String) -> Self {
      var error = Self(.refused)
      error.isBusError = true
      error.busError = name.hasPrefix("org.freedesktop.DBus.Error.") && name.utf8.count <= 64 ? name : nil
      return error
    }

    /// Reads the broker's error, the member `error` of a reply or of its `brokerTokenResponse`.
    init(_ error: JSONValue) {
      self.init(.refused)
      guard let members = error.objectValue else { return }
      func number(_ name: String) -> Int? { members[name]?.textValue.flatMap { Int($0) } }
      status = number("status")
      subStatus = number("subStatus")
      let diagnostics = members["diagnostics"]?.objectValue
      oauthCode =
        OAuthError(
          status: 400, code: diagnostics?["raw_error_code"]?.stringValue, suberror: nil, retryAfter: nil
        ).code
      if oauthCode?.isEmpty == true { oauthCode = nil }
      let context = members["context"]?.stringValue ?? ""
      authorityCode = Self.authorityCode(in: context)
      // The number is that of MSAL C++, the words are those of broker 3.0.1, which documents no code for this.
      declinesScopes = subStatus == 6401 || context.contains("declined scopes are present")
    }

    /// Returns the first `AADSTS` and its number in a text.
    private static func authorityCode(in text: String) -> String? {
      guard let prefix = text.firstRange(of: "AADSTS") else { return nil }
      let digits = text[prefix.upperBound...].utf8.prefix { (0x30...0x39).contains($0) }
      return (4...8).contains(digits.count) ? "AADSTS\(String(decoding: digits, as: UTF8.self))" : nil
    }
  }
}

extension SecretStoreError.BrokerError: PublishableError, CustomStringConvertible {
  /// The numbers and codes.
  public var description: String {
    switch cause {
    case .late: return "no reply in time"
    case .gone: return "no broker any more"
    case .malformed(let what): return "a reply that \(what)"
    case .refused:
      let parts = [
        status.map { "status \($0)" }, subStatus.flatMap { $0 == 0 ? nil : "sub-status \($0)" },
        authorityCode, oauthCode, busError,
      ].compactMap(\.self)
      return parts.isEmpty ? "an error without a code" : parts.joined(separator: ", ")
    }
  }
}
