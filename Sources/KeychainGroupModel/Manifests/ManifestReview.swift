// SPDX-License-Identifier: MIT

/// The review of one file by itself, without regard to other files.
struct ManifestReview {
  let file: ManifestFile
  private(set) var problems: [ManifestProblem] = []
  /// The entitlements that the file declares, or `nil` when it is not an app's file or is malformed.
  private(set) var stated: AppEntitlements?

  init(_ file: ManifestFile) {
    self.file = file
    reviewContent()
    reviewOwnership()
    reviewKeys()
  }

  /// Whether the file grants nothing.
  var isRefused: Bool { stated == nil || problems.contains(where: \.isRefusal) }

  /// Whether the file declares a publisher or groups, and so claims more than an app without declarations has.
  var widensRights: Bool { file.entry?.publisher != nil || file.entry?.accessGroups?.isEmpty == false }

  /// The private-use schemes (RFC 8252 section 7.1) by which authorization responses can arrive, in lower case.
  var redirectSchemes: [String] {
    (file.entry?.schemes ?? []).map { $0.lowercased() }.filter(AppManifest.isRedirectScheme)
  }

  mutating func add(_ problem: ManifestProblem) { problems.append(problem) }

  private mutating func reviewContent() {
    switch file.content {
    case .unreadable(let reason):
      add(.refusal(.unreadable, "The file \(reason)."))
    case .entry(let entry) where entry.type != "Application":
      add(.refusal(.notAnApplication, "The file is no app's: its Type is not Application."))
    case .entry(let entry):
      do throws(SecretStoreError) {
        stated = try AppEntitlements(desktopEntry: entry, app: file.identifier)
      } catch {
        return add(.refusal(.malformed, error.detail))
      }
      if let listed = entry.accessGroups?.count, listed > stated?.groups.count ?? 0 {
        add(.remark(.repeatedGroup, "A group is listed twice in \(DesktopEntry.groupsKey)."))
      }
    }
  }

  /// Names the keys for the publisher or the groups that do not count.
  private mutating func reviewKeys() {
    let misplaced = file.entry?.misplacedKeys ?? []
    if misplaced.isEmpty { return }
    let names = misplaced.map { "\($0.name) in the section [\($0.section)]" }.joined(separator: ", ")
    add(
      .remark(
        .misplacedKey,
        "\(names) counts for nothing: only \(DesktopEntry.publisherKey) and \(DesktopEntry.groupsKey), so spelled, in"
          + " the section [Desktop Entry] do."))
  }

  /// Checks who can write to the file, because they could grant themselves rights.
  private mutating func reviewOwnership() {
    if file.isSymbolicLink {
      add(
        .remark(
          .symbolicLink,
          "The file is a symbolic link: it counts no more than whoever owns the link and what it leads to."))
    }
    if file.isWritableByOthers {
      add(
        ownershipProblem(
          .writableByOthers,
          "Others than its owner can write to the file or to its folder, and may have written what it says."))
    }
    if file.owner == .other {
      add(
        ownershipProblem(
          .foreignOwner, "The file, its link or its folder belongs neither to root nor to the user."))
    }
  }

  private func ownershipProblem(_ rule: ManifestProblem.Rule, _ explanation: String) -> ManifestProblem {
    widensRights ? .refusal(rule, explanation) : .remark(rule, explanation)
  }
}
