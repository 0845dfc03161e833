// SPDX-License-Identifier: MIT

extension AppEntitlements {
  /// The name of the group that MSAL and ADAL share by default, `com.microsoft.adalcache`.
  ///
  /// An app that lists this group shares through it, unless it chooses another group with
  /// `choosing(keychainSharingGroup:)`. That method replaces the setting of ADAL.
  public static let defaultKeychainSharingGroup = AccessGroup.adalCache.name

  /// The group through which the app shares its sign-in.
  ///
  /// It is the group that the app chose, else MSAL's default, `com.microsoft.adalcache` or
  /// `com.microsoft.identity.universalstorage`, if the app lists one, in this order; else the first listed group, else
  /// the app's own group. This is MSAL's `keychainSharingGroup`, but MSAL fails where an app does not list its default.
  /// Pass its `name` to an app's calls, which take names because all groups of an app are its publisher's.
  public var keychainSharingGroup: AccessGroup {
    let defaults = [AccessGroup.adalCache, .universalStorage].lazy
    return chosenGroup ?? defaults.compactMap { known in groups.first { $0.name == known.name } }.first
      ?? defaultGroup
  }

  /// Whether the app shares with no other app although it did not ask for that.
  ///
  /// It lists no group, or its own before all others, and did not choose one.
  package var unknowinglySharesNothing: Bool { chosenGroup == nil && keychainSharingGroup == ownGroup }

  /// Returns the same entitlements with a chosen sharing group.
  ///
  /// ```swift
  /// let mail = try app.choosing(keychainSharingGroup: "com.contoso.shared")
  /// ```
  ///
  /// - Throws: `notEntitled` when the app does not list the group, `invalidArgument` when the name is malformed.
  public func choosing(keychainSharingGroup name: String) throws(SecretStoreError) -> AppEntitlements {
    AppEntitlements(self, chosenGroup: try group(name))
  }

  /// Returns the same entitlements with a chosen sharing group.
  ///
  /// - Throws: `notEntitled` when the app does not list the group.
  public func choosing(keychainSharingGroup group: AccessGroup) throws(SecretStoreError) -> AppEntitlements {
    try require(group)
    return AppEntitlements(self, chosenGroup: group)
  }

  /// The same entitlements without a shared sign-in.
  ///
  /// The app then uses its own group. On Apple's systems an app also turns sharing off by choosing the group of its
  /// own bundle ID.
  public var withoutSharing: AppEntitlements { AppEntitlements(self, chosenGroup: ownGroup) }

  /// The group to save to when the caller names none: the first listed group, else the app's own.
  ///
  /// Apple's systems do the same.
  public var defaultGroup: AccessGroup { groups.first ?? ownGroup }

  /// The groups to search when the caller names none: all listed groups in order, then the app's own.
  public var searchedGroups: [AccessGroup] { groups.contains(ownGroup) ? groups : groups + [ownGroup] }
}
