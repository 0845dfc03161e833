// SPDX-License-Identifier: MIT

import StrictJSON

/// The rules of home account IDs: `uid.utid` in Azure AD and B2C, the `sub` of the ID token elsewhere.
///
/// Azure AD's IDs are GUIDs and are compared without regard to case. All other IDs are compared exactly, because `sub`
/// is case-sensitive (OpenID Connect Core 1.0 section 2).
package struct HomeAccountID: Hashable, Sendable {
  /// The form in which IDs are compared: Azure AD's in lower case, any other unchanged where it is ASCII.
  ///
  /// An ID with other characters is replaced by a section sign and its SHA-256: `String` takes two IDs for equal that
  /// look alike and differ in bytes.
  package let compared: String
  /// Whether the ID is `uid.utid`, both GUIDs.
  ///
  /// For B2C a policy follows the `uid`, as `-b2c_…`.
  package let isAzureAD: Bool

  package init(_ text: String) {
    WorkMeter.count()
    let lower = text.lowercased()
    isAzureAD = Self.isAzureAD(lower)
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    compared = isAzureAD ? lower : isASCII ? text : Self.digestMark + Digest.hex(text)
  }

  /// The form in which an ID may be stored in clear text: Azure AD's as it is compared, the SHA-256 of any other.
  package var stored: String {
    if isAzureAD { return compared }
    return compared.hasPrefix(Self.digestMark)
      ? String(compared.dropFirst(Self.digestMark.count)) : Digest.hex(compared)
  }

  /// What begins a digest in ``compared``: no ASCII ID can begin with it.
  private static let digestMark = "\u{a7}"

  /// Returns whether the clients of the account at a host or ``Issuer`` share refresh tokens by family.
  ///
  /// Only Azure AD has families. The others ignore `foci` in a response and `family_id` in a cache's entry: no call
  /// looks for a family's token there.
  package func hasFamilies(at environment: String) -> Bool {
    if hasPolicy { return false }
    return CloudEnvironment.isKnown(environment) || isAzureAD(at: environment)
  }

  /// Returns whether the account is Azure AD's or B2C's: the ID has their form, and the environment is no issuer's.
  ///
  /// A `sub` of another provider can have any form.
  package func isAzureAD(at environment: String) -> Bool {
    isAzureAD && Issuer.canonical(environment) == nil
  }

  /// Whether the ID is B2C's, with a policy.
  package var hasPolicy: Bool { isAzureAD && compared.contains("-b2c_") }

  /// The user's ID in the home tenant, in lower case and without a policy; `nil` for an ID that is not Azure AD's.
  package var uid: String? { isAzureAD ? String(compared.prefix(Self.guidLength)) : nil }

  /// The ID of the home tenant, in lower case; `nil` for an ID that is not Azure AD's.
  package var tenant: String? { isAzureAD ? String(compared.suffix(Self.guidLength)) : nil }

  /// Returns whether an attribute names the ID: in its stored form or in clear, in any spelling.
  ///
  /// An attribute with the form of a digest is a stored form, although an ID can have that form, too: another account's
  /// digest, say.
  package func isNamed(by attribute: String) -> Bool {
    attribute.lowercased() == stored || !Digest.isDigest(attribute) && Self(attribute).stored == stored
  }

  private static let guidLength = 36

  /// Returns whether a lower-case text is `uid.utid`.
  private static func isAzureAD(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let uid = text[..<dot]
    guard isGUID(text[bytes.index(after: dot)...]) else { return false }
    guard let end = bytes.index(bytes.startIndex, offsetBy: guidLength, limitedBy: dot), isGUID(uid[..<end])
    else { return false }
    let policy = uid[end...]
    return policy.isEmpty || policy.hasPrefix("-b2c_") && !policy.contains("@")
  }

  /// Returns whether a text is a GUID in lower case: the form of Azure AD's tenants, objects and clients.
  package static func isGUID(_ text: Substring) -> Bool {
    var count = 0
    for byte in text.utf8 {
      let isValid =
        switch count {
        case 8, 13, 18, 23: byte == UInt8(ascii: "-")
        default:
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
      guard isValid, count < guidLength else { return false }
      count += 1
    }
    return count == guidLength
  }
}
