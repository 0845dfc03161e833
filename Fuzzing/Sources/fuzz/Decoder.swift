// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Everything that reads bytes from outside, each under the name that selects it.
///
/// A decoder may take an input or refuse it. What it takes must hold what its check expects; a trap, a hang and
/// a broken expectation are findings.
enum Decoder: String, CaseIterable {
  case json
  case document
  case record
  case group
  case exchange
  case tokenResponse = "token-response"
  case refresh
  case idToken = "id-token"
  case clientInfo = "client-info"
  case oauthError = "oauth-error"
  case instanceDiscovery = "instance-discovery"
  case authority
  case scopes
  case entitlements
  case adalObjC = "adal-objc"
  case adalDotNet = "adal-dotnet"
  case adalPython = "adal-python"
  case azureCLI = "azure-cli"
  case redirectURI = "redirect-uri"
  case openedURL = "opened-url"
  case processFacts = "process-facts"
  case busValue = "bus-value"

  /// The decoder that a process's arguments name with `--decoder=NAME`, if they name one.
  static func selected(by arguments: [String]) -> Decoder? {
    let flag = "--decoder="
    let named = arguments.last { $0.hasPrefix(flag) }
    return named.flatMap { Decoder(rawValue: String($0.dropFirst(flag.count))) }
  }

  /// Feeds an input to the decoder and checks what comes of it.
  func check(_ bytes: [UInt8]) {
    switch self {
    case .json: checkJSON(bytes)
    case .document: checkDocument(bytes)
    case .record: checkRecord(bytes)
    case .group: checkGroup(bytes)
    case .exchange: checkExchange(bytes)
    case .tokenResponse: checkTokenResponse(bytes)
    case .refresh: checkRefresh(bytes)
    case .idToken: checkIDToken(bytes)
    case .clientInfo: checkClientInfo(bytes)
    case .oauthError: checkOAuthError(bytes)
    case .instanceDiscovery: checkInstanceDiscovery(bytes)
    case .authority: checkAuthority(bytes)
    case .scopes: checkScopes(bytes)
    case .entitlements: checkEntitlements(bytes)
    case .adalObjC: checkADALArchive(bytes)
    case .adalDotNet: checkADALStream(bytes)
    case .adalPython: checkADALFile(bytes, as: .python)
    case .azureCLI: checkADALFile(bytes, as: .azureCLI)
    case .redirectURI: checkRedirectURI(bytes)
    case .openedURL: checkOpenedURL(bytes)
    case .processFacts: checkProcessFacts(bytes)
    case .busValue: checkBusValue(bytes)
    }
  }
}
