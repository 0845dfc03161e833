// SPDX-License-Identifier: MIT

/// The hosts of Microsoft's clouds, and their aliases.
///
/// A cloud has several hosts, and caches hold entries under each of them. They must be read as one environment. Hosts
/// outside these clouds (B2C, AD FS, other OpenID providers) have no aliases.
package enum CloudEnvironment {
  /// The hosts of each cloud.
  ///
  /// The first host is the canonical one: the cloud's preferred cache host, which MSAL.NET and MSAL Java write. The
  /// others are its aliases. The data comes from the clouds' instance discovery documents.
  static let clouds: [[String]] = [
    ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"],
    ["login.microsoftonline.us", "login.usgovcloudapi.net"],
    ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
    ["login.microsoftonline.de"],
    ["login-us.microsoftonline.com"],
    ["login.sovcloud-identity.fr"],
    ["login.sovcloud-identity.de"],
    ["login.sovcloud-identity.sg"],
  ]

  private static let canonicalHosts: [String: String] = Dictionary(
    uniqueKeysWithValues: clouds.flatMap { cloud in cloud.map { ($0, cloud[0]) } })

  /// Returns the canonical host under which a cloud's entries are stored.
  ///
  /// A host outside the known clouds is returned in lower case, an ``Issuer`` in its canonical spelling.
  package static func canonical(_ host: String) -> String {
    if let issuer = Issuer.canonical(host) { return issuer }
    let lower = host.lowercased()
    return canonicalHosts[lower] ?? lower
  }

  /// Returns the name of a Microsoft host without scheme, path, port 443 or trailing dot.
  ///
  /// Any other text is unchanged.
  static func named(_ host: String) -> String {
    let lower = host.lowercased()
    var name = lower.utf8[...]
    if name.starts(with: "https://".utf8) { name.removeFirst(8) }
    name = name.prefix { $0 != UInt8(ascii: "/") }
    if name.suffix(4).elementsEqual(":443".utf8) { name.removeLast(4) }
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    guard name.count < lower.utf8.count, isMicrosoftHost(String(Substring(name))) else { return host }
    return String(Substring(name))
  }

  /// Returns the hosts of a built-in cloud by its canonical host, or an empty array for any other host.
  static func hosts(of canonical: String) -> [String] { clouds.first { $0[0] == canonical } ?? [] }

  /// Returns the host for requests to a built-in cloud, by its canonical host; any other text is unchanged.
  package static func network(_ canonical: String) -> String {
    canonical == "login.windows.net" ? "login.microsoftonline.com" : canonical
  }

  /// Returns whether a host is Microsoft's: of a cloud, of B2C or of an external tenant (`ciamlogin.com`).
  static func isMicrosoftHost(_ host: String) -> Bool {
    let lower = host.lowercased()
    if isKnown(lower) { return true }
    guard lower.utf8.allSatisfy(isOfNames) else { return false }
    return lower.hasSuffix(".b2clogin.com") || lower.hasSuffix(".ciamlogin.com")
  }

  private static func isOfNames(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Returns whether a host belongs to one of Microsoft's clouds.
  package static func isKnown(_ host: String) -> Bool { canonicalHosts[host.lowercased()] != nil }

  /// Returns whether two hosts are the same environment.
  package static func areSame(_ left: String, _ right: String) -> Bool { canonical(left) == canonical(right) }
}
