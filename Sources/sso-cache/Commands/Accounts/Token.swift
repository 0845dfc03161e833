// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import FoundationEssentials
import SecretStoreCache
import StrictJSON

/// The command `sso-cache token`.
struct Token: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Acquire an access token silently and print it.",
    discussion: """
      Without --authority the token comes from the cache or not at all; with it, the authority's token endpoint \
      is found by OpenID Connect discovery and a refresh token may be redeemed there. Nothing ever prompts.

      A refresh token may be good for one use. So once it is sent, Ctrl-C, SIGTERM and other ending signals end the command only when \
      the authority's response is saved, or can't be, or has not come within half a minute.

      Examples:
        sso-cache token --client-id C --account ada@contoso.com --scope mail.read
        sso-cache token --client-id C --account ada@contoso.com --scope mail.read \\
          --authority https://id.contoso.com --json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The client that the token is issued to.", transform: ClientIDArgument.parse)
  var clientID: String

  @Option(help: ArgumentHelp("Whose token.", valueName: "identifier|username"))
  var account: String

  @OptionGroup var chosen: EnvironmentOption

  @Option(name: .customLong("scope"), parsing: .upToNextOption, help: "The scopes that the token must have.")
  var scopes: [String]

  @Option(help: "The tenant that the token must be of.")
  var tenant: String?

  @Option(help: ArgumentHelp("The authority to refresh at.", valueName: "url"))
  var authority: String?

  func run() async throws {
    let opened = try options.open()
    let scopes = Scopes(scopes)
    if scopes.isEmpty { throw ValidationError("Name at least one --scope.") }
    let given = try authority.map { try Authority($0) }
    let lookup = try TokenCache(opened: opened, clientID: clientID, authority: given)
    guard
      let account = try await lookup.account(
        named: account, chosen, prefersAuthority: given != nil)
    else {
      try chosen.requireValid()
      let listing = try await AccountDirectory(backend: opened.backend, sharesWithADAL: true).listing()
      let note =
        listing.damaged.isEmpty
        ? ""
        : " Damaged items may contain the account; list them with \(ToolCommand.on(opened.group, "damaged"))."
      throw SecretStoreError(.interactionRequired, "No such account is signed in for this client.\(note)")
    }
    let cache = try TokenCache(
      opened: opened, clientID: clientID,
      authority: given.map { try Self.named($0, for: account) } ?? Self.home(of: account),
      endpoint: given.map { _ in OIDCHelperEndpoint() })
    let call = { @Sendable [tenant] in
      try await cache.acquireTokenSilent(scopes: scopes, account: account, tenant: tenant)
    }
    let result = try await given == nil ? call() : InterruptibleCall(isQuiet: options.json).run(call)
    // The token is printed last: where the output can't be written, the command ends.
    if let error = result.saveError {
      let loss =
        result.unsaved?.consequence ?? "what the call has learned could not be saved: \(error.detail)"
      Printer.error("sso-cache: warning: \(Printer.printable(loss))\n")
    }
    for member in result.response?.oddMembers(at: Date()) ?? [] {
      Printer.error(
        "sso-cache: warning: the authority's response has an odd \(member), which was left out or changed\n")
    }
    options.json ? Printer.json(Self.json(result)) : Printer.value(result.accessToken)
  }

  /// Returns the authority of the account's own cloud or provider, which selects cache entries without a network.
  private static func home(of account: Account) throws -> Authority {
    if Issuer(account.environment) != nil { return try Authority(account.environment, kind: .openID) }
    if Issuer.hostOfUnknown(account.environment) != nil {
      throw SecretStoreError(
        .interactionRequired, "The account was imported without its issuer, so no authority has its tokens.")
    }
    let isMicrosoftHost = CloudEnvironment.isKnown(account.environment)
    let path = isMicrosoftHost ? "common" : account.tenants.first ?? ""
    return try named(Authority("https://\(account.environment)/\(path)"), for: account)
  }

  /// Returns an authority as the account's cloud where its URL doesn't show that it is one.
  ///
  /// An account outside of Azure AD and AD FS is known by its issuer, and not by a host.
  private static func named(_ authority: Authority, for account: Account) throws -> Authority {
    guard authority.kind == .openID, authority.host == account.environment else { return authority }
    return try Authority(authority.url.absoluteString, kind: .aad)
  }

  private static func json(_ result: TokenResult) -> JSONValue {
    .object([
      "access_token": .string(result.accessToken),
      "expires_on": .init(integerLiteral: Int(result.expiresOn.timeIntervalSince1970)),
      "scopes": .array(result.scopes.names.map(JSONValue.string)),
      "account": result.account.json,
      "source": .string(result.source.rawValue),
    ])
  }
}
