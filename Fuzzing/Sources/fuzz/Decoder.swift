// SPDX-License-Identifier: MIT

import ADALCache
import TokenCacheModel

/// The functions that parse external data, by the name that selects them.
///
/// A decoder may accept or refuse an input. An accepted input must meet the expectations of its check. Traps, hangs
/// and failed expectations are findings.
enum Decoder: String, CaseIterable {
  case json
  case document
  case record
  case group
  case transfer
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
  case brokerReply = "broker-reply"

  /// Returns the decoder that the argument `--decoder=NAME` names; `nil` when there is none.
  static func selected(by arguments: [String]) -> Decoder? {
    let flag = "--decoder="
    let named = arguments.last { $0.hasPrefix(flag) }
    return named.flatMap { Decoder(rawValue: String($0.dropFirst(flag.count))) }
  }

  /// Passes an input to the decoder and checks the result.
  func check(_ bytes: [UInt8]) {
    switch self {
    case .json: checkJSON(bytes)
    case .document: checkDocument(bytes)
    case .record: checkRecord(bytes)
    case .group: checkGroup(bytes)
    case .transfer: checkTransfer(bytes)
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
    case .brokerReply: checkBrokerReply(bytes)
    }
  }
}
