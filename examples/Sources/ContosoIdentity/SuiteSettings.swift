// SPDX-License-Identifier: MIT

import Foundation

/// The settings of the suite, which every app of it reads from the environment.
public struct SuiteSettings: Sendable {
  /// The OpenID provider, from `CONTOSO_ISSUER`; empty when nothing names one.
  public let issuer: String
  /// The client id of every app of the suite, from `CONTOSO_CLIENT_ID`.
  public let clientID: String
  /// The scopes to request, separated by spaces, from `CONTOSO_SCOPE`.
  public let scopes: String
  /// How many seconds before its expiry a token counts as expired, from `CONTOSO_EXPIRY_BUFFER`; negative when that is
  /// not a number.
  public let expiryBuffer: Double

  /// The settings of this process.
  public static let current = SuiteSettings()

  private init() {
    issuer = Self.variable("ISSUER") ?? ""
    clientID = Self.variable("CLIENT_ID") ?? "contoso-suite"
    scopes = Self.variable("SCOPE") ?? "openid suite.read"
    expiryBuffer = Self.variable("EXPIRY_BUFFER").map { Double($0) ?? -1 } ?? 300
  }

  /// Returns a variable `CONTOSO_…` of the environment; `nil` when it is empty or not set.
  public static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["CONTOSO_" + name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
