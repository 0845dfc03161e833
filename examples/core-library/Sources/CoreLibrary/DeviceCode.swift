// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache

/// A code that the user enters at an address, on any device (RFC 8628 section 3.2).
public struct DeviceCode: Sendable, CustomReflectable {
  /// What the user enters.
  public let userCode: String
  /// The address at which the user enters it.
  public let verificationURI: String
  let deviceCode: String
  let expiresIn: Duration
  let interval: Duration

  /// A sentence for the user.
  public var message: String { "Open \(verificationURI) and enter the code \(userCode)." }
  /// What `print` shows: the device code redeems the tokens, so it is left out.
  public var customMirror: Mirror { Mirror(self, children: ["message": message]) }

  /// Reads the response and bounds its times.
  ///
  /// - Throws: `invalidResponse` when a member is missing, or what is shown is not printable ASCII.
  init(parsing body: [UInt8]) throws(SecretStoreError) {
    guard let members = try? JSONObject(parsing: body),
      let userCode = members["user_code"]?.stringValue, let deviceCode = members["device_code"]?.stringValue,
      let address = (members["verification_uri"] ?? members["verification_url"])?.stringValue,
      (userCode + address).utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw SecretStoreError(.invalidResponse, "The response has no device code.") }
    self.userCode = userCode
    self.deviceCode = deviceCode
    self.verificationURI = address
    self.expiresIn = .seconds(min(max(Int(members["expires_in"]?.textValue ?? "") ?? 900, 0), 3600))
    self.interval = .seconds(min(max(Int(members["interval"]?.textValue ?? "") ?? 5, 1), 60))
  }
}

extension Provider {
  /// Requests a code for the user.
  func deviceCode(_ clientID: String, _ scopes: Scopes, claims: String?) async throws -> DeviceCode {
    let scope = scopes.union(["openid", "profile", "offline_access"]).target
    var form = [(name: "client_id", value: clientID), (name: "scope", value: scope)]
    if let claims { form.append((name: "claims", value: claims)) }
    guard let endpoint = try await endpoints().deviceAuthorization else {
      throw SecretStoreError(.serverError, "The server has no device codes.")
    }
    let response = try await post(form, to: endpoint)
    guard response.status == 200 else {
      let error = OAuthError(status: response.status, body: response.body)
      throw SecretStoreError(.serverError, "The server gave no device code.", underlying: error)
    }
    return try DeviceCode(parsing: response.body)
  }

  /// Asks for the token until the user has entered the code, less often after a failure (RFC 8628 section 3.5).
  func redeem(_ code: DeviceCode, _ clientID: String, claims: String?) async throws -> TokenResponse {
    var form = [
      (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
      (name: "client_id", value: clientID), (name: "device_code", value: code.deviceCode),
      (name: "client_info", value: "1"),
    ]
    if let claims { form.append((name: "claims", value: claims)) }
    var interval = code.interval
    let end = ContinuousClock.now + code.expiresIn
    polling: while ContinuousClock.now < end {
      try await Task.sleep(for: interval)
      let reply = try? await post(form, to: endpoints().token)
      let response = reply ?? TokenEndpointResponse(status: 503, body: [])
      let error = OAuthError(status: response.status, body: response.body)
      switch error.code {
      case "authorization_pending": continue
      case "slow_down": interval += .seconds(5)
      case _ where response.status >= 500: interval += .seconds(5)
      case "access_denied", "authorization_declined":  // the second is Azure AD's
        throw SecretStoreError(.promptDismissed, "The user refused.", underlying: error)
      case "expired_token": break polling
      default: return try response.tokenResponse()
      }
    }
    throw SecretStoreError(.interactionRequired, "Nobody entered the code in time.")
  }
}
