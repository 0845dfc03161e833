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
    guard let environment else { return accounts }
    let aliases = try await backend.record(for: EnvironmentAliases.record)
    return environment.chosen(among: accounts, EnvironmentAliases(in: try? aliases?.document()))
  }
}

/// An environment as a person names it: a host, an issuer, or the URL of an authority.
struct NamedEnvironment {
  /// The environment of the authority with that URL or host.
  let ofAuthority: String
  private let text: String
  /// The host of the authority.
  private let host: String

  init(_ text: String) throws {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("An environment is not blank.")
    }
    self.text = text
    let isURL = text.contains("://")
    if let host = Issuer.hostOfUnknown(text) {
      (ofAuthority, self.host) = (text, host)
      return
    }
    do {
      let authority = try Authority(isURL ? text : "https://\(text)")
      host = authority.host
      ofAuthority = isURL || text.contains("/") ? authority.environment : authority.host
    } catch {
      throw ValidationError("An environment is a host or an issuer. \(error.detail)")
    }
  }

  /// The environments that are meant, the likelier one first.
  ///
  /// `https://adfs.contoso.com/adfs` is an issuer, and the URL of an authority whose environment is its host.
  var candidates: [String] { text == ofAuthority ? [text] : [text, ofAuthority] }

  /// Returns the accounts of the environment: those that are shown with it, or else those of the authority, or else those
  /// of the host's issuers.
  func chosen(among accounts: [Account], _ aliases: EnvironmentAliases) -> [Account] {
    for candidate in candidates + (aliases.isLearned(host) ? [host] : []) {
      let found = accounts.filter { aliases.areSame($0.environment, candidate) }
      if !found.isEmpty { return found }
    }
    return accounts.filter { Issuer($0.environment)?.isAt(text) == true }
  }
}
