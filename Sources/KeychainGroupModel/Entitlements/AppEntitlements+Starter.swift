// SPDX-License-Identifier: MIT

extension AppEntitlements {
  /// A `.desktop` file that states the same, to be finished by a person: `Exec` and `Name` are the app's id.
  ///
  /// - Parameter scheme: The scheme of the app's redirect URI.
  package func desktopFile(scheme: String) -> String {
    var lines = [
      "[Desktop Entry]", "Type=Application", "Name=\(app)", "Exec=\(app) %u", "Terminal=false",
      RedirectURI.registrationLine(for: scheme),
    ]
    if let publisher { lines.append("\(DesktopEntry.publisherKey)=\(publisher)") }
    if !groups.isEmpty {
      lines.append("\(DesktopEntry.groupsKey)=\(groups.map { "\($0.name);" }.joined())")
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// An `entitlements.plist` that states the same.
  ///
  /// - Throws: `invalidArgument` for a publisher with a dot: there, the publisher ends at the first one.
  package func propertyListText() throws(SecretStoreError) -> String {
    if publisher?.name.contains(".") == true {
      throw SecretStoreError(
        .invalidArgument,
        "A property list can't state a publisher with a dot in its name:"
          + " in application-identifier the publisher ends at the first one.")
    }
    let prefix = publisher.map { "\($0)." } ?? Self.prefixVariable
    let listed = groups.map { "    <string>\(Self.prefixVariable)\($0.name)</string>\n" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>application-identifier</key>
        <string>\(prefix)\(app)</string>
        <key>keychain-access-groups</key>
        <array>
      \(listed)  </array>
      </dict>
      </plist>

      """
  }
}
