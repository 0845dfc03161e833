// SPDX-License-Identifier: MIT

/// The apps that `.desktop` files declare on this desktop, with the entitlements of each app.
///
/// A program that can write a manifest can grant itself rights. These rules decide which manifest counts:
///
/// - A manifest that is installed for all users takes precedence over any other of its ID. Such a file belongs to
///   root, is outside the user's home, and is writable by nobody else. Otherwise the desktop's order decides.
/// - A manifest of the user may declare any groups and any publisher, except a publisher that has an app installed for
///   all users. A file in the home cannot join the groups of such a publisher.
/// - A manifest that others than its owner can write to, or that belongs neither to root nor to the user, is refused
///   if it declares a publisher or groups. A symbolic link is trusted no more than the less trusted of the link and
///   its target.
/// - A manifest with a malformed publisher, group or ID is refused.
package struct ManifestCatalog: Sendable {
  /// All manifests, sorted by ID, with the one that counts first.
  package let manifests: [AppManifest]

  /// Reviews manifests.
  ///
  /// - Parameters:
  ///   - files: The files in the desktop's order; see `ManifestSource`.
  ///   - schemeHandlers: The apps that the desktop opens URLs with, or `nil` when they are unknown.
  package init(_ files: [ManifestFile], schemeHandlers: (any SchemeHandlers)? = nil) {
    var reviews = Self.counted(files).map { ManifestReview($0) }
    let first = Self.firstOfEachIdentifier(reviews)
    Self.review(precedenceIn: &reviews, first)
    Self.review(publishersIn: &reviews, first)
    Self.review(schemesIn: &reviews, first, schemeHandlers)
    let order = reviews.indices.sorted { left, right in
      let (one, two) = (reviews[left].file.identifier, reviews[right].file.identifier)
      if one != two { return one < two }
      return (first[one] == left ? -1 : left) < (first[one] == right ? -1 : right)
    }
    manifests = order.map { index in
      let winner = first[reviews[index].file.identifier].flatMap { $0 == index ? nil : reviews[$0].file }
      return AppManifest(reviews[index], precededBy: winner)
    }
  }

  /// Returns the manifest that counts for an app.
  package func manifest(for app: AppIdentifier) -> AppManifest? {
    manifests.first { $0.identifier == app.name }
  }

  /// Returns what an app may use by its manifest.
  ///
  /// - Throws: `notEntitled` when the app has no manifest, or its manifest is refused. The message gives the reasons.
  package func entitlements(for app: AppIdentifier) throws(SecretStoreError) -> AppEntitlements {
    guard let manifest = manifest(for: app) else {
      throw SecretStoreError(
        .notEntitled,
        "There is no \(app).desktop in the applications folders of XDG_DATA_HOME and XDG_DATA_DIRS."
          + " sso-cache apps init \(app.name.asOperand) writes one to start from.")
    }
    guard let entitlements = manifest.entitlements else {
      let reasons = manifest.problems.filter(\.isRefusal).map(\.explanation).joined(separator: " ")
      throw SecretStoreError(.notEntitled, "The manifest \(manifest.path) is refused. \(reasons)")
    }
    return entitlements
  }

  /// Returns the files without those marked as deleted and those that such a mark hides.
  ///
  /// A mark in a file installed for all users hides the later files that are installed for all users. A mark in a
  /// user's file hides no other file.
  private static func counted(_ files: [ManifestFile]) -> [ManifestFile] {
    var deleted: Set<String> = []
    return files.filter { file in
      if file.isSystemWide && deleted.contains(file.identifier) { return false }
      guard file.entry?.isHidden == true else { return true }
      if file.isSystemWide { deleted.insert(file.identifier) }
      return false
    }
  }

  /// Returns the index of the manifest that counts, by ID.
  private static func firstOfEachIdentifier(_ reviews: [ManifestReview]) -> [String: Int] {
    var first: [String: Int] = [:]
    for isSystemWide in [true, false] {
      for (index, review) in reviews.enumerated() where review.file.isSystemWide == isSystemWide {
        if first[review.file.identifier] == nil { first[review.file.identifier] = index }
      }
    }
    return first
  }
}

extension ManifestCatalog: SchemeHandlers {
  /// Returns the apps whose manifests register a scheme.
  ///
  /// Use this where the desktop cannot be queried, as in a sandbox.
  package func apps(for scheme: String) -> [String] {
    var seen: Set<String> = []
    return manifests.filter { seen.insert($0.identifier).inserted && $0.schemes.contains(scheme) }
      .map(\.identifier)
  }
}
