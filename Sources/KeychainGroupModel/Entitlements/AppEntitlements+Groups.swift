// SPDX-License-Identifier: MIT

extension AppEntitlements {
  /// The group that MSAL shares by default, `com.microsoft.adalcache`.
  ///
  /// An app that lists it shares through it unless it chooses another one; what ADAL set here is chosen with
  /// ``choosing(keychainSharingGroup:)``.
  public static let defaultKeychainSharingGroup = AccessGroup.adalCache.name

  /// The group that the app shares its sign-in through: the one it chose, else `com.microsoft.adalcache` when
  /// listed, else the first group listed, else the app's own.
  ///
  /// This is MSAL's `keychainSharingGroup`.
  public var keychainSharingGroup: AccessGroup {
    chosenGroup ?? groups.first { $0.name == Self.defaultKeychainSharingGroup } ?? defaultGroup
  }

  /// The same app, sharing through a group of its choice.
  ///
  /// ```swift
  /// let app = try entitlements.choosing(keychainSharingGroup: "com.contoso.shared")
  /// ```
  ///
  /// - Throws: `notEntitled` when the app does not list the group, `invalidArgument` when the name is
  ///   malformed.
  public func choosing(keychainSharingGroup name: String) throws(SecretStoreError) -> AppEntitlements {
    AppEntitlements(self, chosenGroup: try group(name))
  }

  /// The same app, sharing its sign-in with nobody.
  ///
  /// On Apple's systems an app turns sharing off by choosing the group of its own bundle id; that does it
  /// here, too.
  public var withoutSharing: AppEntitlements { AppEntitlements(self, chosenGroup: ownGroup) }

  /// Where something is saved that names no group: the group listed first, else the app's own, as on Apple's
  /// systems.
  public var defaultGroup: AccessGroup { groups.first ?? ownGroup }

  /// Where something is looked for that names no group: all groups of the app, in its order, and its own
  /// last.
  public var searchedGroups: [AccessGroup] { groups.contains(ownGroup) ? groups : groups + [ownGroup] }
}
