// SPDX-License-Identifier: MIT

public import FoundationEssentials
import PropertyLists

extension AppEntitlements {
  /// The variable that Xcode expands to the App ID prefix and a dot.
  static let prefixVariable = "$(AppIdentifierPrefix)"
  /// The variables that Xcode expands to the bundle ID.
  static let bundleVariables = ["$(CFBundleIdentifier)", "$(PRODUCT_BUNDLE_IDENTIFIER)"]
  /// The entitlement that holds the team ID on Apple's systems.
  static let teamIdentifier = "com.apple.developer.team-identifier"
  /// The entitlements that hold the App ID: that of iOS and that of macOS.
  private static let identifiers = ["application-identifier", "com.apple.application-identifier"]

  /// Reads an Apple-style `entitlements.plist`, in XML (UTF-8) or in binary form.
  ///
  /// `com.apple.developer.team-identifier` is the publisher. `application-identifier`, on macOS
  /// `com.apple.application-identifier`, has the form `<publisher>.<app id>`, like the App ID on Apple's systems.
  /// `$(AppIdentifierPrefix)` stands for the publisher and the dot, `$(CFBundleIdentifier)` and
  /// `$(PRODUCT_BUNDLE_IDENTIFIER)` for the app's ID. Without a publisher the identifier's text before its first dot is
  /// the publisher. It may have dots where the call names the app and the app's ID begins with it, as in
  /// `com.contoso.com.contoso.mail`. An identifier that begins with `$(AppIdentifierPrefix)` has none. Each group in
  /// `keychain-access-groups` begins with `$(AppIdentifierPrefix)` or with the publisher and a dot. Without a publisher
  /// the prefix is optional.
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
  /// A file as Xcode writes it has the groups only; the app is signed with the rest. Name that in the call:
  ///
  /// ```swift
  /// let mail = try AppEntitlements(propertyList: data, app: "com.contoso.mail", publisher: "com.contoso")
  /// ```
  ///
  /// - Parameters:
  ///   - data: The property list.
  ///   - app: The app's ID, or `nil` for that of the file.
  ///   - publisher: The publisher, or `nil` for that of the file.
  /// - Throws: `invalidFile` when the data is not such a property list, or neither it nor the call names the app.
  ///   `invalidArgument` when a name is malformed, the call names another app or publisher than the file, the
  ///   identifier or a group does not begin with the prefix or the publisher, a variable is unknown, or there are too
  ///   many groups.
  public init(
    propertyList data: Data, app: String? = nil, publisher: String? = nil
  ) throws(SecretStoreError) {
    let manifest = try Self.manifest(of: data)
    guard manifest.groups.count <= Self.maximumGroups else {
      throw SecretStoreError(
        .invalidArgument,
        "The entitlements list \(manifest.groups.count) access groups; \(Self.maximumGroups) are the most.")
    }
    // A variable stands for the ID as often as the file has it: no ID may be long.
    var app = try app.map { id throws(SecretStoreError) in try AppIdentifier(id).name }
    var publisher = try Self.agreed(manifest.team, publisher, what: "publisher")
    if let identifier = manifest.identifier {
      let stated = try Self.split(Self.resolved(identifier, app: app), publisher: publisher, app: app)
      publisher = stated.publisher
      app = try Self.agreed(AppIdentifier(stated.app).name, app, what: "app")
    }
    guard let app else {
      throw SecretStoreError(
        .invalidFile,
        "The entitlements have no \(Self.identifiers[0]), which names the app: add it, or name the app beside them."
      )
    }
    var names: [String] = []
    for entry in manifest.groups {
      let name = try Self.groupName(Self.resolved(entry, app: app), publisher: publisher)
      names.append(try AccessGroup(name).name)
    }
    try self.init(app: app, publisher: publisher, groups: names)
  }

  private static func manifest(
    of data: Data
  ) throws(SecretStoreError) -> (identifier: String?, team: String?, groups: [String]) {
    guard let members = try? PropertyList(parsing: Array(data)).dictionaryValue else {
      throw SecretStoreError(.invalidFile, "The entitlements are not a property list with a dictionary.")
    }
    let stated = identifiers.compactMap { members[$0] }
    guard stated.allSatisfy({ $0.stringValue != nil && $0.stringValue == stated[0].stringValue }) else {
      throw SecretStoreError(
        .invalidFile, "The entitlements' \(identifiers[0]) or \(identifiers[1]) is no string, or they differ."
      )
    }
    let team = members[teamIdentifier]
    guard team == nil || team?.stringValue != nil else {
      throw SecretStoreError(.invalidFile, "The entitlements' \(teamIdentifier) is no string.")
    }
    let groups = members["keychain-access-groups"] ?? .array([])
    guard let names = groups.arrayValue?.compactMap(\.stringValue), names.count == groups.arrayValue?.count
    else {
      throw SecretStoreError(
        .invalidFile, "The entitlements' keychain-access-groups is no array of strings.")
    }
    return (stated.first?.stringValue, team?.stringValue, names)
  }

  /// Returns what the file or the call says, which must not differ.
  private static func agreed(
    _ stated: String?, _ given: String?, what: String
  ) throws(SecretStoreError) -> String? {
    if let stated, let given, stated != given {
      throw SecretStoreError(
        .invalidArgument,
        "The entitlements are for the \(what) \(quoted(stated)), not \(quoted(given)).")
    }
    return stated ?? given
  }

  /// Returns a name with the app's ID for its variable.
  private static func resolved(_ name: String, app: String?) throws(SecretStoreError) -> String {
    let text = app.map { app in bundleVariables.reduce(name) { $0.replacing($1, with: app) } } ?? name
    let rest = text.hasPrefix(prefixVariable) ? text.dropFirst(prefixVariable.count) : text[...]
    guard let start = ["$(", "${"].compactMap({ rest.firstRange(of: $0)?.lowerBound }).min() else {
      return text
    }
    let remedy =
      bundleVariables.contains(where: rest[start...].hasPrefix)
      ? "name the app beside them" : "write its value"
    throw SecretStoreError(
      .invalidArgument,
      "\(quoted(rest[start...])) in the entitlements begins with a variable that has no value here: \(remedy)."
    )
  }

  private static func quoted(_ text: some StringProtocol) -> String {
    String(text.prefix(100)).debugDescription
  }

  private static func split(
    _ identifier: String, publisher: String?, app: String?
  ) throws(SecretStoreError) -> (publisher: String?, app: String) {
    if let publisher {
      return (publisher, try withoutPrefix(identifier, publisher: publisher, what: identifiers[0]))
    }
    if identifier.hasPrefix(prefixVariable) {
      return (nil, String(identifier.dropFirst(prefixVariable.count)))
    }
    if let app, identifier.hasSuffix(".\(app)") {
      let publisher = String(identifier.dropLast(app.count + 1))
      // Else the app that the call names could be the end of another app's ID.
      if app.hasPrefix("\(publisher).") { return (publisher, app) }
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
        "The \(what) \(quoted(name)) begins neither with $(AppIdentifierPrefix)"
          + " nor with the publisher \(publisher).")
    }
    return String(name.dropFirst(prefix.count))
  }
}
