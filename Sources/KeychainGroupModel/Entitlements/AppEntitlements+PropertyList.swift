// SPDX-License-Identifier: MIT

public import FoundationEssentials
import PropertyLists

extension AppEntitlements {
  /// The variable that Xcode expands to the App ID prefix and a dot.
  static let prefixVariable = "$(AppIdentifierPrefix)"
  /// The entitlement that holds the team ID on Apple's systems.
  static let teamIdentifier = "com.apple.developer.team-identifier"

  /// Reads an Apple-style `entitlements.plist`, in XML (UTF-8) or in binary form.
  ///
  /// `com.apple.developer.team-identifier` is the publisher. `application-identifier` has the form
  /// `<publisher>.<app id>`, like the App ID on Apple's systems; `$(AppIdentifierPrefix)` stands for the publisher and
  /// the dot. Without a team identifier the publisher ends at the identifier's first dot, and an identifier that begins
  /// with `$(AppIdentifierPrefix)` has none. Each group in `keychain-access-groups` begins with
  /// `$(AppIdentifierPrefix)` or with the publisher and a dot. Without a publisher the prefix is optional.
  ///
  /// ```xml
  /// <dict>
  ///   <key>com.apple.developer.team-identifier</key> <string>com.contoso</string>
  ///   <key>application-identifier</key> <string>$(AppIdentifierPrefix)com.contoso.mail</string>
  ///   <key>keychain-access-groups</key>
  ///   <array><string>$(AppIdentifierPrefix)com.contoso.shared</string></array>
  /// </dict>
  /// ```
  ///
  /// - Throws: `invalidFile` when the data is not such a property list. `invalidArgument` when a name is malformed, the
  ///   identifier or a group does not begin with the prefix or the publisher, or there are too many groups.
  public init(propertyList data: Data) throws(SecretStoreError) {
    let manifest = try Self.manifest(of: data)
    let (publisher, app) = try Self.split(manifest.identifier, team: manifest.team)
    var names: [String] = []
    for entry in manifest.groups {
      names.append(try Self.groupName(entry, publisher: publisher))
    }
    try self.init(app: app, publisher: publisher, groups: names)
  }

  private static func manifest(
    of data: Data
  ) throws(SecretStoreError) -> (identifier: String, team: String?, groups: [String]) {
    let members = try? PropertyList(parsing: Array(data)).dictionaryValue
    let team = members?[teamIdentifier]
    let groups = members?["keychain-access-groups"] ?? .array([])
    let names = groups.arrayValue?.compactMap(\.stringValue)
    guard let identifier = members?["application-identifier"]?.stringValue, let names,
      names.count == groups.arrayValue?.count, team == nil || team?.stringValue != nil
    else {
      throw SecretStoreError(
        .invalidFile,
        "The entitlements are not a property list with a string application-identifier,"
          + " an array of strings keychain-access-groups and a string \(teamIdentifier) or none.")
    }
    return (identifier, team?.stringValue, names)
  }

  private static func split(
    _ identifier: String, team: String?
  ) throws(SecretStoreError) -> (publisher: String?, app: String) {
    if let team {
      return (team, try withoutPrefix(identifier, publisher: team, what: "application-identifier"))
    }
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
    if let publisher { return try withoutPrefix(entry, publisher: publisher, what: "access group") }
    return entry.hasPrefix(prefixVariable) ? String(entry.dropFirst(prefixVariable.count)) : entry
  }

  /// Returns a name without the variable or the publisher and a dot before it.
  private static func withoutPrefix(
    _ name: String, publisher: String, what: String
  ) throws(SecretStoreError) -> String {
    guard let prefix = [prefixVariable, publisher + "."].first(where: name.hasPrefix) else {
      throw SecretStoreError(
        .invalidArgument,
        "The \(what) \(name.debugDescription) begins neither with $(AppIdentifierPrefix)"
          + " nor with the publisher \(publisher).")
    }
    return String(name.dropFirst(prefix.count))
  }
}
