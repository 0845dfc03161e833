// SPDX-License-Identifier: MIT

extension AppEntitlements {
  /// Returns a template `.desktop` file with the same publisher and groups.
  ///
  /// The author completes it: `Exec` and `Name` hold the app's ID.
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

  /// Returns an `entitlements.plist` with the same publisher and groups.
  package var propertyListText: String {
    let team = publisher.map { "  <key>\(Self.teamIdentifier)</key>\n  <string>\($0)</string>\n" } ?? ""
    let listed = groups.map { "    <string>\(Self.prefixVariable)\($0.name)</string>\n" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(team)  <key>application-identifier</key>
        <string>\(Self.prefixVariable)\(app)</string>
        <key>keychain-access-groups</key>
        <array>
      \(listed)  </array>
      </dict>
      </plist>

      """
  }
}
