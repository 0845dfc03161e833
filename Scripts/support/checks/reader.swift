// SPDX-License-Identifier: MIT

import ADALCache
import Foundation
import KeychainItems
import SecretStoreDiagnosis

// What readers bring to the snippets of the documentation. check-snippets compiles each with it.

func given<Value>() -> Value { fatalError() }

// Who the app is, and where its tokens are.
var data: Data { given() }
var app: AppEntitlements { given() }
var mail: AppEntitlements { given() }
var calendar: AppEntitlements { given() }
var group: AccessGroup { given() }
var clientID: String { given() }
var authority: Authority { given() }
var tokenEndpoint: URL { given() }
var store: SecretStore { given() }
var backend: any TokenCacheBackend { given() }
var cache: TokenCache { given() }
var view: KeychainView { given() }
var account: Account { given() }
var refreshToken: CredentialEntry { given() }
var document: CacheDocument { given() }

// HTTP.
protocol HTTPClient: Sendable {
  func post(
    _ form: String, to url: URL, headers: [(name: String, value: String)]
  ) async throws -> HTTPResponse
  func post(
    _ form: String, to url: URL, headers: [(name: String, value: String)], timeLimit: Int
  ) async throws -> HTTPResponse
}

typealias YourHTTPClient = any HTTPClient

struct HTTPResponse {
  let status: Int
  let body: [UInt8]
  let headers: [String: String]
}

var http: any HTTPClient { given() }
var endpoint: any TokenEndpoint { given() }
var body: [UInt8] { given() }
var response: [UInt8] { given() }
var scopes: Scopes { given() }
var challenge: String { given() }
var thumbprint: String { given() }
var confirmation: String { given() }

// A sign-in.
struct ProviderMetadata {
  let issuer: String
  let namesItselfInResponses: Bool
}

var metadata: ProviderMetadata { given() }
var uri: RedirectURI { given() }
var url: String { given() }
func signIn() async throws -> TokenResponse { given() }
func signIn(_ scopes: Scopes) async throws -> [UInt8] { given() }
func signIn(scopes: Scopes) async throws -> TokenResponse { given() }
func signIn(resource: String) async throws -> TokenResponse { given() }
func authorizing(_ uri: RedirectURI, _ state: String) -> String { given() }
func authorizationURL(state: String, redirectURI: String) -> String { given() }
func opened(_ url: String) async throws -> String { given() }
func openBrowser(_ url: String) {}
@discardableResult func redeem(_ code: String, redirectURI: String) async throws -> TokenResponse { given() }

// What becomes of a token.
func use(_ token: String) {}
func keep(_ identifier: String) {}
func send(authorization: String) {}
func digest(_ bytes: Span<UInt8>) {}

// The user interface.
protocol AccountList {
  func show(_ accounts: [Account])
  func insert(_ account: Account)
  func update(_ account: Account)
  func remove(_ account: Account)
}

struct Person {
  func agrees(to question: String) async -> Bool { given() }
}

var accountList: any AccountList { given() }
var user: Person { given() }
var handle: String { given() }
func show(_ problem: String, _ remedy: String?) {}

// Files.
var bytes: [UInt8] { given() }
func readFile() async throws -> [UInt8] { given() }
func writeFile(_ bytes: [UInt8]) async throws {}

struct Blob: SerializedADALCacheDelegate {
  func willAccess(_ cache: SerializedADALCache) async throws {}
  func willWrite(_ cache: SerializedADALCache) async throws {}
  func didWrite(_ cache: SerializedADALCache) async throws {}
}

// A back end and a directory of accounts.
typealias MyBackend = InMemoryBackend
var change: (inout CacheDocument?) throws -> Int { given() }
var stored: CacheDocument? { given() }
var key: RecordKey { given() }
func write(_ bytes: [UInt8], for key: RecordKey) async throws {}
func delete(_ key: RecordKey) async throws {}

struct SuiteDirectory: ExternalAccountProvider {
  func accounts() async throws -> [Account] { given() }
  func update(_ account: Account, claims: IDTokenClaims?) async throws {}
  func remove(_ account: Account) async throws {}
}
