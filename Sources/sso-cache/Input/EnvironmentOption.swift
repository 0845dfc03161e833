// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The option that tells accounts of one name apart.
struct EnvironmentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of several accounts of that name the one of this environment, as accounts shows it, or of this authority.",
      valueName: "host|issuer"), transform: NamedEnvironment.init)
  var environment: NamedEnvironment?

  /// Returns the accounts of the environment; all when none is named.
  func chosen(among accounts: [Account], in backend: any TokenCacheBackend) async throws -> [Account] {
    try await chosen(among: accounts, in: backend) { $0 }
  }

  /// Returns the accounts of a name in the environment.
  ///
  /// Without an environment an identifier goes before all user names.
  func named(
    _ name: String, among accounts: [Account], in backend: any TokenCacheBackend
  ) async throws -> [Account] {
    try await chosen(among: accounts, in: backend) { $0.named(name) }
  }

  /// As ``named(_:among:in:)``, among all accounts of a group.
  func named(_ name: String, in directory: AccountDirectory) async throws -> [Account] {
    try await directory.accounts(named: name) { accounts, aliases in
      environment.map { $0.chosen(among: accounts, aliases) { $0.named(name) } } ?? accounts.named(name)
    }
  }

  /// Throws a usage error when the text is no environment.
  ///
  /// Call it when no account is shown with that text.
  func requireValid() throws {
    if let problem = environment?.problem { throw problem }
  }

  private func chosen(
    among accounts: [Account], in backend: any TokenCacheBackend, _ choose: ([Account]) -> [Account]
  ) async throws -> [Account] {
    guard let environment else { return choose(accounts) }
    let aliases = try await backend.record(for: EnvironmentAliases.record)
    return environment.chosen(among: accounts, EnvironmentAliases(in: try? aliases?.document()), choose)
  }
}

/// An environment as a person names it: a host, an issuer, or the URL of an authority, or what a list shows.
///
/// Another library's cache can have any text for an environment.
struct NamedEnvironment {
  /// The environment of the authority with that URL or host.
  let ofAuthority: String
  private let text: String
  /// The host of the authority; empty for a text that is none.
  private let host: String
  /// What is wrong with a text that is no environment.
  let problem: ValidationError?

  init(_ text: String) throws {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("An environment is not blank.")
    }
    self.text = text
    let isURL = text.contains("://")
    if let host = Issuer.hostOfUnknown(text) {
      (ofAuthority, self.host, problem) = (text, host, nil)
      return
    }
    do {
      let authority = try Authority(isURL ? text : "https://\(text)")
      host = authority.host
      ofAuthority = isURL || text.contains("/") ? authority.environment : authority.host
      problem = nil
    } catch {
      (ofAuthority, host) = (text, "")
      problem = ValidationError("An environment is a host or an issuer. \(error.detail)")
    }
  }

  /// The environments that are meant, the likelier one first.
  ///
  /// `https://adfs.contoso.com/adfs` is an issuer, and the URL of an authority whose environment is its host.
  var candidates: [String] { text == ofAuthority ? [text] : [text, ofAuthority] }

  /// Returns the accounts that are chosen in the environment: among those that are shown with it, or else those of the
  /// authority, or else those of the host's issuers.
  func chosen(
    among accounts: [Account], _ aliases: EnvironmentAliases, _ choose: ([Account]) -> [Account]
  ) -> [Account] {
    for candidate in candidates + (aliases.isLearned(host) ? [host] : []) {
      let found = choose(accounts.filter { aliases.areSame($0.environment, candidate) })
      if !found.isEmpty { return found }
    }
    return choose(
      accounts.filter {
        Issuer($0.environment)?.isAt(text) == true || Printer.printable($0.environment) == text
      })
  }
}
