// SPDX-License-Identifier: MIT

/// A snap's app, as snapd tags its processes: `snap.<snap>.<app>`.
struct SnapTag: Hashable {
  /// The snap's name, with the key of a parallel installation: `contoso-mail`, `contoso-mail_work`.
  let instance: String
  /// The app within the snap; empty when it is not known.
  let app: String

  init(instance: String, app: String = "") {
    self.instance = instance
    self.app = app
  }

  /// Reads a tag; `nil` when it is none, or a hook's.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "snap", !parts[1].isEmpty, !parts[2].isEmpty else { return nil }
    self.init(instance: String(parts[1]), app: String(parts[2]))
  }

  /// Reads a unit's name: `snap.<snap>.<app>-<uuid>.scope`, once with a dot before the UUID, or
  /// `snap.<snap>.<app>.service`.
  init?(unit: String) {
    var body = Substring(SystemdUnit.unescape(Substring(unit)))
    if body.hasSuffix(".service") {
      body = body.dropLast(8)
    } else if body.hasSuffix(".scope") {
      body = body.dropLast(6)
      let digits = body.suffix(36)
      if digits.utf8.count == 36, digits.utf8.filter({ $0 == UInt8(ascii: "-") }).count == 4 {
        body = body.dropLast(37)
      }
    } else {
      return nil
    }
    self.init(body)
  }

  /// The snap that the process belongs to; `nil` when it belongs to none.
  ///
  /// What a snap starts inherits its environment and its unit: in the terminal of an editor that is a snap,
  /// every program does. So they count only where the kernel confines the process as the snap's, or the
  /// program is one of the snap's own files.
  init?(_ facts: ProcessFacts) {
    if facts.securityLabel.contains(" (enforce)"),
      let label = facts.securityLabel.split(separator: " ").first, let tag = SnapTag(label)
    {
      self = tag
      return
    }
    let inherited =
      facts.unitName.flatMap(SnapTag.init(unit:))
      ?? (facts.environment["SNAP_INSTANCE_NAME"] ?? facts.environment["SNAP_NAME"]).map {
        SnapTag(instance: $0)
      }
    guard let inherited, !inherited.instance.isEmpty,
      Self.folders.contains(where: { facts.executable.hasPrefix("\($0)\(inherited.instance)/") })
    else { return nil }
    self = inherited
  }

  private static let folders = ["/snap/", "/var/lib/snapd/snap/"]

  /// The snap's name, without the key of a parallel installation.
  var name: String { String(instance.prefix { $0 != "_" }) }

  /// The ids by which an app in the snap may go, besides those that its metadata declare; the preferred one
  /// first.
  var identifiers: [String] {
    if app.isEmpty { return [instance, name] }
    let joined = [".", "_"].flatMap { mark in [instance, name].map { $0 + mark + app } }
    return app == name ? [instance, name] + joined : joined + [instance, name]
  }

  /// The ids that a snap's metadata declare for its apps: every `common-id`.
  static func declaredIdentifiers(in metadata: String) -> [String] {
    metadata.split(whereSeparator: \.isNewline).compactMap { line in
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("common-id:") else { return nil }
      let value = text.dropFirst("common-id:".count).filter { $0 != " " && $0 != "\"" && $0 != "'" }
      return value.isEmpty ? nil : String(value)
    }
  }
}
