// SPDX-License-Identifier: MIT

public import FoundationEssentials

extension AppEntitlements {
  /// The variable that Xcode expands to the App ID prefix and a dot.
  static let prefixVariable = "$(AppIdentifierPrefix)"

  /// Reads an Apple-style `entitlements.plist`, in XML (UTF-8) or binary.
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
  /// - Throws: `corruptItem` when the data is no such property list, `invalidArgument` when a name in it is
  ///   malformed or a group carries another publisher's prefix.
  public init(propertyList data: Data) throws(SecretStoreError) {
    let (identifier, groups) = try Self.manifest(of: data)
    let (publisher, app) = try Self.split(identifier)
    var names: [String] = []
    for entry in groups {
      names.append(try Self.groupName(entry, publisher: publisher))
    }
    try self.init(app: app, publisher: publisher, groups: names)
  }

  private static func manifest(
    of data: Data
  ) throws(SecretStoreError) -> (identifier: String, groups: [String]) {
    let members = try? PropertyList(parsing: Array(data)).dictionaryValue
    let groups = members?["keychain-access-groups"] ?? .array([])
    let names = groups.arrayValue?.compactMap(\.stringValue)
    guard let identifier = members?["application-identifier"]?.stringValue, let names,
      names.count == groups.arrayValue?.count
    else {
      throw SecretStoreError(
        .corruptItem,
        "The entitlements are not a property list with a string application-identifier"
          + " and an array of strings keychain-access-groups.")
    }
    return (identifier, names)
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
