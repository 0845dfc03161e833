// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension AppIdentifier {
  /// Returns whether a publisher owns the app by the app's identifier: its name is a prefix of it in whole labels.
  ///
  /// `com.contoso` owns `com.contoso.Mail`; `com`, `com.con` and `Com.Contoso` don't.
  func isOwned(by publisher: String) -> Bool {
    let labels = publisher.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= labelsOfOwner && self.labels.starts(with: labels)
  }

  /// Returns whether the name of a group without a publisher says that it belongs to the owner of the app.
  ///
  /// `com.contoso.shared` belongs to the owner of `com.contoso.Mail`.
  func ownsName(ofGroup name: String) -> Bool {
    let owner = labels.prefix(labelsOfOwner)
    return owner.count == labelsOfOwner
      && name.split(separator: ".", omittingEmptySubsequences: false).starts(with: owner)
  }

  /// The number of labels that name the owner of the app: two, or three where two are everybody's.
  private var labelsOfOwner: Int {
    let (first, second) = (labels.first ?? "", labels.dropFirst().first ?? "")
    let isCountrys = first.count == 2 && Self.registries.contains(second)
    return isCountrys || Self.sharedPrefixes.contains("\(first).\(second)") ? 3 : 2
  }

  /// The prefixes under which everybody gets a name.
  ///
  /// They are those of the code hosts for which Flathub's requirements ask for four labels, with the spellings that
  /// Flathub accepted before (https://docs.flathub.org/docs/for-app-authors/requirements, "Application ID"), and some
  /// hosts of pages on the Public Suffix List (https://publicsuffix.org).
  private static let sharedPrefixes: Set<String> = [
    "io.github", "com.github", "io.gitlab", "com.gitlab", "page.codeberg", "org.codeberg", "io.frama",
    "org.framagit", "io.sourceforge", "net.sourceforge", "site.srht", "ht.sr",
    "app.netlify", "app.vercel", "app.web", "com.appspot", "com.blogspot", "com.firebaseapp",
    "com.googlecode", "com.herokuapp", "com.wordpress", "dev.pages", "dev.workers", "io.readthedocs",
    "org.eu",
  ]

  /// The second labels below which countries register names, as `co` in `uk.co.contoso`.
  ///
  /// They are the usual ones of the Public Suffix List.
  private static let registries: Set<Substring> = [
    "ac", "asso", "co", "com", "ed", "edu", "gen", "go", "gob", "gouv", "gov", "id", "info", "ltd", "me",
    "mil", "ne", "net", "nom", "or", "org", "plc", "pro", "sch", "web",
  ]
}
