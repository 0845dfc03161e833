// SPDX-License-Identifier: MIT

/// The hosts of Microsoft's clouds, and which of them are the same place.
///
/// One cloud answers under several hosts, and caches were written under each of them; they must be read as one.
/// Hosts outside these clouds (B2C, ADFS, any OpenID provider) have no aliases.
public enum CloudEnvironment {
  /// Each cloud's hosts.
  ///
  /// The first is the canonical one, the cloud's preferred cache host, which MSAL.NET and MSAL Java write;
  /// the others are aliases, as the clouds' instance discovery documents give them.
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

  /// The one host under which a cloud's entries are kept; for a host outside the known clouds, itself in lower
  /// case.
  public static func canonical(_ host: String) -> String {
    let lower = host.lowercased()
    return canonicalHosts[lower] ?? lower
  }

  /// The hosts of a shipped cloud, by its canonical one; none outside them.
  static func hosts(of canonical: String) -> [String] { clouds.first { $0[0] == canonical } ?? [] }

  /// The host of a shipped cloud that requests go to, by its canonical one.
  static func network(_ canonical: String) -> String {
    canonical == "login.windows.net" ? "login.microsoftonline.com" : canonical
  }

  /// Whether the host belongs to one of Microsoft's clouds.
  public static func isKnown(_ host: String) -> Bool { canonicalHosts[host.lowercased()] != nil }

  /// Whether two hosts are the same environment.
  public static func areSame(_ left: String, _ right: String) -> Bool { canonical(left) == canonical(right) }
}
