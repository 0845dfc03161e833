// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// A refresh request (RFC 6749 section 6) for a ``TokenEndpoint`` to send.
public struct TokenRequest: Sendable {
  /// The authority whose token endpoint is meant.
  public let authority: Authority
  /// The client.
  public let clientID: String
  /// The scopes to ask for.
  public let scopes: Scopes
  /// The refresh token to redeem.
  public let refreshToken: String
  /// The claims to ask for, as JSON; `nil` for none.
  public let claims: String?
  /// How the token will be used.
  public let scheme: AccessTokenScheme
  /// The resource to ask for, as ADAL does, in place of scopes; `nil` for none.
  ///
  /// Azure AD takes it at version 1 of its token endpoint, `oauth2/token` beneath the authority.
  public let resource: String?
  /// What the call is known by in the log.
  public let correlationID: UUID

  /// Makes a request: for tests of an endpoint of your own.
  public init(
    authority: Authority, clientID: String, scopes: Scopes, refreshToken: String, claims: String? = nil,
    scheme: AccessTokenScheme = .bearer, resource: String? = nil, correlationID: UUID = UUID()
  ) {
    self.correlationID = correlationID
    self.resource = resource
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.refreshToken = refreshToken
    self.claims = claims
    self.scheme = scheme
  }

  /// The form's fields, in order.
  public var form: [(name: String, value: String)] {
    var fields = [
      (name: "grant_type", value: "refresh_token"), (name: "client_id", value: clientID),
      (name: "refresh_token", value: refreshToken),
    ]
    if let resource { fields.append((name: "resource", value: resource)) }
    if !wireScopes.isEmpty { fields.append((name: "scope", value: wireScopes.target)) }
    if authority.kind == .aad || authority.kind == .b2c {
      fields.append((name: "client_info", value: "1"))
    }
    if let claims { fields.append((name: "claims", value: claims)) }
    return fields + scheme.requestParameters
  }

  /// The header fields that the request is to have: those of a form, and for Microsoft's endpoints the correlation id, by
  /// which their logs know the request, too.
  public var headers: [(name: String, value: String)] {
    let fields = [
      (name: "Content-Type", value: "application/x-www-form-urlencoded"),
      (name: "Accept", value: "application/json"),
    ]
    guard authority.isMicrosofts else { return fields }
    return fields + [
      (name: "client-request-id", value: correlationID.uuidString.lowercased()),
      (name: "return-client-request-id", value: "true"),
    ]
  }

  /// The form as an `application/x-www-form-urlencoded` body.
  public var formBody: String {
    form.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
  }

  /// Microsoft's endpoints are asked for the sign-in's own scopes with every request, as MSAL does.
  private var wireScopes: Scopes {
    if resource != nil { return ["openid"] }
    return switch authority.kind {
    case .aad, .b2c: scopes.union(["openid", "profile", "offline_access"])
    case .adfs, .openID: scopes
    }
  }

  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(Character(UnicodeScalar(byte)))
      default:
        encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
  /// Names the client and nothing of the token.
  public var description: String { "TokenRequest(clientID: \(clientID), refreshToken: redacted)" }

  /// Shows the client only.
  public var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}
