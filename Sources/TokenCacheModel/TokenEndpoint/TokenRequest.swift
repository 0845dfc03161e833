// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel
public import UnifiedCache

/// A refresh request (RFC 6749 section 6), which a ``TokenEndpoint`` sends.
public struct TokenRequest: Sendable {
  /// The authority whose token endpoint gets the request.
  public let authority: Authority
  /// The client ID.
  public let clientID: String
  /// The scopes to request.
  public let scopes: Scopes
  /// The refresh token to redeem.
  public let refreshToken: String
  /// The claims to request, as JSON; `nil` for none.
  public let claims: String?
  /// How the token will be used.
  public let scheme: AccessTokenScheme
  /// The resource to request instead of scopes, as ADAL does; `nil` for none.
  ///
  /// Azure AD accepts it at version 1 of its token endpoint, `oauth2/token` below the authority.
  public let resource: String?
  /// More fields of the form.
  public let extraParameters: [(name: String, value: String)]
  /// The ID of the call in the log and in the request's headers.
  public let correlationID: UUID

  /// The header fields of telemetry.
  var telemetry: [(name: String, value: String)] = []

  /// Creates a request, for tests of your own endpoint.
  public init(
    authority: Authority, clientID: String, scopes: Scopes, refreshToken: String, claims: String? = nil,
    scheme: AccessTokenScheme = .bearer, resource: String? = nil,
    extraParameters: [(name: String, value: String)] = [], correlationID: UUID = UUID()
  ) {
    self.extraParameters = extraParameters
    self.correlationID = correlationID
    self.resource = resource
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.refreshToken = refreshToken
    self.claims = claims
    self.scheme = scheme
  }

  /// The form fields, in order.
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
    return fields + scheme.requestParameters + extraParameters
  }

  /// The header fields of the request.
  ///
  /// They are those of a form and, at Microsoft's endpoints, the correlation ID, which also appears in Microsoft's
  /// logs, and the telemetry that ``TokenCacheOptions/telemetryAPI`` asks for.
  public var headers: [(name: String, value: String)] {
    let fields = [
      (name: "Content-Type", value: "application/x-www-form-urlencoded"),
      (name: "Accept", value: "application/json"),
    ]
    guard authority.isMicrosoftHost else { return fields }
    return fields + [
      (name: "client-request-id", value: correlationID.uuidString.lowercased()),
      (name: "return-client-request-id", value: "true"),
    ] + telemetry
  }

  /// The form as an `application/x-www-form-urlencoded` body.
  public var formBody: String { Self.encode(form) }

  /// The URL of the token endpoint, which gets the request by POST.
  ///
  /// It follows from the URL of a Microsoft authority. A request for a ``resource`` goes to version 1 of Azure AD's
  /// endpoint.
  ///
  /// - Throws: `invalidArgument` for an OpenID provider whose ``Authority/tokenEndpoint`` is not set: only its
  ///   discovery document says it.
  public var url: URL {
    get throws(SecretStoreError) { try authority.requestURL(version1: resource != nil) }
  }

  /// The scopes to send: Microsoft's endpoints also get OpenID Connect's own scopes with every request, as in MSAL.
  private var wireScopes: Scopes {
    if resource != nil { return ["openid"] }
    return switch authority.kind {
    case .aad, .b2c, .adfs: scopes.union(["openid", "profile", "offline_access"])
    case .openID: scopes
    }
  }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
  /// The client ID, without the tokens.
  public var description: String { "TokenRequest(clientID: \(clientID), refreshToken: redacted)" }

  /// A mirror that shows the client ID only.
  public var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}
