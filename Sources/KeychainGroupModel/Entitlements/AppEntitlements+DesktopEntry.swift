// SPDX-License-Identifier: MIT

extension AppEntitlements {
  /// Reads what a `.desktop` file says about an app's groups.
  ///
  /// - Parameters:
  ///   - entry: The file's content.
  ///   - app: The app, the desktop file id without `.desktop`.
  /// - Throws: `invalidArgument` when the id, the publisher or a group is malformed, or there are too many
  ///   groups.
  public init(desktopEntry entry: DesktopEntry, app: String) throws(SecretStoreError) {
    let names = (entry.accessGroups ?? []).map { name in
      name.hasPrefix(Self.prefixVariable) ? String(name.dropFirst(Self.prefixVariable.count)) : name
    }
    try self.init(app: app, publisher: entry.publisher, groups: names)
  }
}
