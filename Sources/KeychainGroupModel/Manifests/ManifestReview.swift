// SPDX-License-Identifier: MIT

/// What one file says, looked at by itself.
struct ManifestReview {
  let file: ManifestFile
  private(set) var problems: [ManifestProblem] = []
  /// What the file states; `nil` when it is no app's, or malformed.
  private(set) var stated: AppEntitlements?

  init(_ file: ManifestFile) {
    self.file = file
    reviewContent()
    reviewOwnership()
  }

  /// Whether what the file states counts.
  var isRefused: Bool { stated == nil || problems.contains(where: \.isRefusal) }

  /// Whether the file claims more than an app has that states nothing.
  var widensRights: Bool { file.entry?.publisher != nil || file.entry?.accessGroups?.isEmpty == false }

  /// The schemes by which answers to sign-ins can arrive, in lower case: private-use ones (RFC 8252 section
  /// 7.1).
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

  /// Whoever can write the file can write rights into it.
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
          "Others than its owner can write to the file or to its folder: chmod go-w."))
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
