// SPDX-License-Identifier: MIT

/// The apps that `.desktop` files declare on this desktop, and what each of them may use.
///
/// Whoever can write a manifest can write rights into it, so these rules decide which manifest counts:
///
/// - A manifest that was installed for everybody (root's, outside the user's home, writable by nobody else)
///   comes before any other of its id. Otherwise the desktop's order decides.
/// - A manifest of the user's own may state any groups and any publisher, unless an app of that publisher was
///   installed for everybody: its groups are not the user's to join by a file in the home.
/// - A manifest that others than its owner can write to, or that belongs neither to root nor to the user,
///   grants nothing. A symbolic link counts no more than the least trusted of the link and the file it leads
///   to.
/// - A manifest with anything malformed in it grants nothing.
public struct ManifestCatalog: Sendable {
  /// Every manifest that was found, sorted by id, the one that counts first.
  public let manifests: [AppManifest]

  /// Reviews manifests.
  ///
  /// - Parameters:
  ///   - files: The files in the desktop's order; see ``ManifestSource``.
  ///   - schemeHandlers: Which apps the desktop opens URLs with; `nil` where that is not known.
  public init(_ files: [ManifestFile], schemeHandlers: (any SchemeHandlers)? = nil) {
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
      AppManifest(reviews[index], counts: first[reviews[index].file.identifier] == index)
    }
  }

  /// The manifest that counts for an id.
  public func manifest(for app: AppIdentifier) -> AppManifest? {
    manifests.first { $0.identifier == app.name }
  }

  /// What an app may use by its manifest.
  ///
  /// - Throws: `notEntitled` when there is no manifest of the app's id, or it is refused, with the reasons.
  public func entitlements(for app: AppIdentifier) throws(SecretStoreError) -> AppEntitlements {
    guard let manifest = manifest(for: app) else {
      throw SecretStoreError(
        .notEntitled,
        "There is no \(app).desktop in the applications folders of XDG_DATA_HOME and XDG_DATA_DIRS."
          + " sso-cache apps init \(app) writes one to start from.")
    }
    guard let entitlements = manifest.entitlements else {
      let reasons = manifest.problems.filter(\.isRefusal).map(\.explanation).joined(separator: " ")
      throw SecretStoreError(.notEntitled, "The manifest \(manifest.path) is refused. \(reasons)")
    }
    return entitlements
  }

  /// The files without those that count as deleted, and those that are deleted by them.
  ///
  /// One that an administrator marked as deleted hides the later ones that are installed for everybody; one
  /// of the user's own hides no rights.
  private static func counted(_ files: [ManifestFile]) -> [ManifestFile] {
    var deleted: Set<String> = []
    return files.filter { file in
      if file.isSystemWide && deleted.contains(file.identifier) { return false }
      guard file.entry?.isHidden == true else { return true }
      if file.isSystemWide { deleted.insert(file.identifier) }
      return false
    }
  }

  /// The place of the manifest that counts, by id.
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
  /// The apps whose manifests register a scheme, as far as manifests tell: what counts where the desktop
  /// can't be asked, as in a sandbox.
  public func apps(for scheme: String) -> [String] {
    var seen: Set<String> = []
    return manifests.filter { seen.insert($0.identifier).inserted && $0.schemes.contains(scheme) }
      .map(\.identifier)
  }
}
