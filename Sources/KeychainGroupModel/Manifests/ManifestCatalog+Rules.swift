// SPDX-License-Identifier: MIT

extension ManifestCatalog {
  /// Adds a problem to every manifest over which another manifest of the same ID takes precedence.
  ///
  /// It is a refusal when the manifest claims more than that other one.
  static func review(precedenceIn reviews: inout [ManifestReview], _ first: [String: Int]) {
    for index in reviews.indices {
      guard let winner = first[reviews[index].file.identifier], winner != index else { continue }
      let claim = reviews[index].stated
      let granted = reviews[winner].stated
      let isWider =
        reviews[index].widensRights
        && (claim?.publisher != granted?.publisher
          || !Set(claim?.groups ?? []).isSubset(of: granted?.groups ?? []))
      let explanation = "The file \(reviews[winner].file.path) comes first and counts alone."
      reviews[index].add(isWider ? .refusal(.overruled, explanation) : .remark(.overruled, explanation))
    }
  }

  /// Refuses a user's manifests that claim a publisher whose apps are installed for all users.
  ///
  /// Also remarks on groups whose names begin with another publisher's name.
  static func review(publishersIn reviews: inout [ManifestReview], _ first: [String: Int]) {
    var installed: [Publisher: String] = [:]
    var known: Set<String> = []
    for index in first.values.sorted() {
      guard let publisher = reviews[index].stated?.publisher else { continue }
      known.insert(publisher.name)
      if reviews[index].file.isSystemWide {
        installed[publisher] = installed[publisher] ?? reviews[index].file.path
      }
    }
    for index in first.values.sorted() {
      guard let stated = reviews[index].stated else { continue }
      if !reviews[index].file.isSystemWide, let path = stated.publisher.flatMap({ installed[$0] }) {
        reviews[index].add(
          .refusal(
            .foreignPublisher,
            "An app of the publisher \(stated.publisher?.name ?? "") is installed for everybody"
              + " (\(path)), and this file is not: any program of the user may have written it."))
      }
      if let name = stated.groups.map(\.name).first(where: { isPrefixed($0, by: known, of: stated) }) {
        reviews[index].add(
          .remark(
            .foreignPrefix,
            "The group \(name) begins with another publisher's name; it belongs to"
              + " \(stated.publisher.map { "the publisher \($0)" } ?? "no publisher") all the same."))
      }
    }
  }

  private static func isPrefixed(_ group: String, by known: Set<String>, of app: AppEntitlements) -> Bool {
    guard let dot = group.firstIndex(of: ".") else { return false }
    let prefix = String(group[..<dot])
    return prefix != app.publisher?.name && known.contains(prefix)
  }

  /// Checks that authorization responses reach the app that they are for.
  static func review(
    schemesIn reviews: inout [ManifestReview], _ first: [String: Int], _ handlers: (any SchemeHandlers)?
  ) {
    var owners: [String: [String]] = [:]
    for (identifier, index) in first {
      for scheme in Set(reviews[index].redirectSchemes) { owners[scheme, default: []].append(identifier) }
    }
    for index in first.values.sorted() where reviews[index].file.entry?.declaresSharing == true {
      let identifier = reviews[index].file.identifier
      let schemes = reviews[index].redirectSchemes
      let entry = reviews[index].file.entry
      if !schemes.isEmpty && entry?.takesURLs == false {
        reviews[index].add(
          .remark(.noURLArgument, "Exec has no %u, so a URL that is opened never reaches the app."))
      }
      if entry?.schemes.contains(where: { $0 != $0.lowercased() }) == true {
        reviews[index].add(
          .remark(
            .upperCaseScheme, "The desktop looks for schemes in lower case: write them so in MimeType."))
      }
      for scheme in schemes {
        if scheme.hasPrefix("msauth."), scheme.dropFirst("msauth.".count) != identifier.lowercased() {
          reviews[index].add(
            .remark(.otherAppsScheme, "\(scheme) is another app's: this one's is msauth.\(identifier)."))
        }
        if let others = owners[scheme]?.filter({ $0 != identifier }).sorted(), let other = others.first {
          reviews[index].add(
            .remark(
              .sharedScheme, "\(other) registers \(scheme), too, and may receive this app's responses."))
        }
        let problem = handlers.flatMap { RedirectURI.problem(of: scheme, for: identifier, with: $0) }
        if let problem { reviews[index].add(.remark(.schemeNotOpened, problem.explanation)) }
      }
    }
  }
}
