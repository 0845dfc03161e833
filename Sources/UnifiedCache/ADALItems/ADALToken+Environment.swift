// SPDX-License-Identifier: MIT

extension ADALToken {
  /// Returns the account's environment: the canonical host of a Microsoft cloud, the host of B2C or AD FS, else the
  /// ``Issuer``.
  package func environment(_ aliases: EnvironmentAliases) -> String {
    let name = CloudEnvironment.named(host)
    if CloudEnvironment.isKnown(name) { return CloudEnvironment.canonical(name) }
    guard let issuer, !aliases.isLearned(host) else { return aliases.canonical(host) }
    return issuer.text
  }

  /// Whether the token is from an authority's cloud, or from the same issuer when the authority is an issuer.
  package func isAt(_ authority: Authority, _ aliases: EnvironmentAliases) -> Bool {
    if let issuer = authority.issuer { return Issuer(self.authority) == issuer }
    let own = authority.kind == .aad ? host : environment(aliases)
    return aliases.areSame(own, authority.storageEnvironment)
  }
}
