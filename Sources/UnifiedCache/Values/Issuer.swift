// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The issuer of an OpenID provider's tokens: the URL in the `iss` of its ID tokens and of its configuration.
///
/// A `sub` is unique only within its issuer (OpenID Connect Core 1.0 section 2), and one host may have several
/// issuers. So outside Microsoft's clouds the environment of an account is its issuer. Issuers differ by scheme, host,
/// port or path. Different spellings of an issuer are equal: the case of scheme and host, the scheme's default port,
/// trailing slashes, and unnecessary percent-encoding (RFC 3986 section 6.2.2) are ignored.
///
/// ```swift
/// Issuer("HTTPS://ID.Contoso.com:443/%72ed/") == Issuer("https://id.contoso.com/red")
/// ```
public struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The maximum length of an issuer, in bytes.
  static let maximumBytes = 1024

  /// The canonical spelling of the issuer.
  public let text: String
  /// The host name or address without the port, as other MSALs write it.
  let hostName: String
  /// The host, with the port unless it is the scheme's default.
  let host: String

  /// Reads an issuer's URL in any spelling.
  ///
  /// - Returns: `nil` when the text is not an absolute ASCII `https` URL of at most 1,024 bytes, with only a host, a
  ///   port and a path. `http` is permitted for loopback hosts only. A path with a `.` or `..` component is refused.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let colon = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<colon.lowerBound].lowercased()
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let (name, port) = Self.authority(rest[..<end]), let path = Self.path(rest[end...]) else {
      return nil
    }
    let standardPort: Int
    switch scheme {
    case "https": standardPort = 443
    case "http" where Self.isLoopback(name): standardPort = 80
    default: return nil
    }
    hostName = name
    host = port.map { $0 == standardPort ? name : "\(name):\($0)" } ?? name
    self.text = "\(scheme)://\(host)\(path)"
  }

  /// The canonical spelling of the issuer.
  public var description: String { text }

  /// Returns whether a host from another MSAL, which may lack the port or name the scheme's default, is the issuer's.
  package func isAt(_ host: String) -> Bool {
    let (host, port) = (host.lowercased(), text.hasPrefix("https:") ? ":443" : ":80")
    return [hostName, self.host].contains(host) || self.host == hostName && host == hostName + port
  }

  /// Whether the issuer has the form of an Azure AD tenant's: its path is the tenant's ID, and `v2.0` in version 2.
  var isTenant: Bool {
    let path = text.split(separator: "/").dropFirst(2)
    return path.first.map { HomeAccountID.isGUID(Substring($0.lowercased())) } == true
      && path.dropFirst().allSatisfy { $0.lowercased() == "v2.0" }
  }

  /// Returns whether a host, in lower case, is a loopback host.
  static func isLoopback(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
  }
}

/// Entries whose issuer is unknown, at a host that may have several issuers.
extension Issuer {
  /// Returns the environment for an unknown issuer at a host, which equals no issuer and no host.
  static func unknown(at host: String) -> String { "\(host.lowercased())/*" }

  /// Returns the host of such an environment, or `nil` for an issuer and for a host.
  package static func hostOfUnknown(_ environment: String) -> String? {
    guard environment.utf8.last == UInt8(ascii: "*"), environment.hasSuffix("/*"),
      !environment.contains("://")
    else { return nil }
    return String(environment.dropLast(2))
  }

  /// Returns the canonical spelling of an issuer, or of an environment with an unknown issuer; `nil` for a host.
  package static func canonical(_ environment: String) -> String? {
    guard environment.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return Issuer(environment)?.text ?? environment
  }
}

extension Issuer {
  /// Reads a host in lower case, and the port if there is one.
  private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
    var host = text
    var port: Int?
    let bracket = text.lastIndex(of: "]")
    if let colon = text.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      let digits = text[text.index(after: colon)...]
      host = text[..<colon]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy(isDigit), let number = Int(digits), (1...65_535).contains(number)
        else { return nil }
        port = number
      }
    }
    let isAddress = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
    let name = isAddress ? host.dropFirst().dropLast() : host
    let allowed = isAddress ? ":." : "-._~"
    guard !name.isEmpty, name.utf8.allSatisfy({ isAlphanumeric($0) || allowed.utf8.contains($0) }) else {
      return nil
    }
    return (host.lowercased(), port)
  }

  /// Returns a path without trailing slashes and without unnecessary percent-encoding, or `nil` when it is malformed.
  private static func path(_ text: Substring) -> String? {
    guard let encoded = PercentEncoding.bytes(of: text.utf8) else { return nil }
    var bytes: [UInt8] = []
    for byte in encoded {
      if isUnreserved(byte.value) || !byte.isEscaped && "/:@!$&'()*+,;=".utf8.contains(byte.value) {
        bytes.append(byte.value)
      } else if byte.isEscaped {
        bytes += PercentEncoding.escape(byte.value).utf8
      } else {
        return nil
      }
    }
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let path = String(decoding: bytes, as: UTF8.self)
    return path.split(separator: "/").contains { $0 == "." || $0 == ".." } ? nil : path
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "-._~".utf8.contains(byte)
  }
}
