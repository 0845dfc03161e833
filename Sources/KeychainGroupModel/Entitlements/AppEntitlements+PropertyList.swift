// SPDX-License-Identifier: MIT

public import FoundationEssentials

extension AppEntitlements {
  private struct Manifest: Decodable {
    let applicationIdentifier: String
    let groups: [String]?

    enum CodingKeys: String, CodingKey {
      case applicationIdentifier = "application-identifier"
      case groups = "keychain-access-groups"
    }
  }

  /// The variable that Xcode expands to the App ID prefix and a dot.
  static let prefixVariable = "$(AppIdentifierPrefix)"

  /// Reads an Apple-style `entitlements.plist`, in XML.
  ///
  /// `application-identifier` is `<publisher>.<app id>`, as the App ID is on Apple's systems, where the
  /// publisher is the part before the first dot; an identifier that begins with `$(AppIdentifierPrefix)` has no
  /// publisher. Each of `keychain-access-groups` begins with `$(AppIdentifierPrefix)` or with the publisher.
  ///
  /// ```xml
  /// <dict>
  ///   <key>application-identifier</key> <string>contoso.com.contoso.mail</string>
  ///   <key>keychain-access-groups</key>
  ///   <array><string>$(AppIdentifierPrefix)com.contoso.shared</string></array>
  /// </dict>
  /// ```
  ///
  /// The binary form is refused: Foundation's reader of it traps on malformed data.
  ///
  /// - Throws: `corruptItem` when the data is no such property list, `invalidArgument` when a name in it is
  ///   malformed or a group carries another publisher's prefix.
  public init(propertyList data: Data) throws(SecretStoreError) {
    if data.starts(with: Array("bplist".utf8)) {
      throw SecretStoreError(
        .corruptItem, "The entitlements are a binary property list; convert them to XML (plistutil, plutil).")
    }
    let manifest: Manifest
    do {
      manifest = try PropertyListDecoder().decode(Manifest.self, from: data)
    } catch {
      throw SecretStoreError(
        .corruptItem,
        "The entitlements are not a property list with a string application-identifier"
          + " and an array of strings keychain-access-groups.")
    }
    let (publisher, app) = try Self.split(manifest.applicationIdentifier)
    var names: [String] = []
    for entry in manifest.groups ?? [] {
      names.append(try Self.groupName(entry, publisher: publisher))
    }
    try self.init(app: app, publisher: publisher, groups: names)
  }

  private static func split(
    _ identifier: String
  ) throws(SecretStoreError) -> (publisher: String?, app: String) {
    if identifier.hasPrefix(prefixVariable) {
      return (nil, String(identifier.dropFirst(prefixVariable.count)))
    }
    let parts = identifier.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw SecretStoreError(
        .invalidArgument, "The application-identifier is not of the form <publisher>.<app id>.")
    }
    return (String(parts[0]), String(parts[1]))
  }

  private static func groupName(_ entry: String, publisher: String?) throws(SecretStoreError) -> String {
    if entry.hasPrefix(prefixVariable) { return String(entry.dropFirst(prefixVariable.count)) }
    guard let publisher else { return entry }
    guard entry.hasPrefix(publisher + ".") else {
      throw SecretStoreError(
        .invalidArgument,
        "The access group \(entry.debugDescription) begins neither with $(AppIdentifierPrefix)"
          + " nor with the publisher \(publisher).")
    }
    return String(entry.dropFirst(publisher.count + 1))
  }
}
