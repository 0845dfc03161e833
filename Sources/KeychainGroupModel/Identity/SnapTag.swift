// SPDX-License-Identifier: MIT

/// The security tag that snapd gives the processes of a snap's app: `snap.<snap>.<app>`.
struct SnapTag: Hashable {
  /// The snap's instance name, which includes the instance key of a parallel installation.
  ///
  /// Examples: `contoso-mail`, `contoso-mail_work`.
  let instance: String
  /// The app within the snap, empty when unknown.
  let app: String

  init(instance: String, app: String = "") {
    self.instance = instance
    self.app = app
  }

  /// Reads a tag, or returns `nil` when the text is not a tag or is the tag of a hook.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "snap", !parts[1].isEmpty, !parts[2].isEmpty else { return nil }
    self.init(instance: String(parts[1]), app: String(parts[2]))
  }

  /// Reads the tag from a unit name.
  ///
  /// The forms are `snap.<snap>.<app>-<uuid>.scope`, `snap.<snap>.<app>.<uuid>.scope` (older versions of snapd) and
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

  /// Finds the snap that the process belongs to, or returns `nil` when it belongs to none.
  ///
  /// Child processes inherit the environment and the unit of a snap. For example, every program that runs in the
  /// terminal of a snapped editor has them. So the environment and the unit count only when the program is a file of
  /// that snap. An AppArmor label in enforce mode counts by itself.
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

  /// The snap's name, without the instance key of a parallel installation.
  var name: String { String(instance.prefix { $0 != "_" }) }

  /// The IDs that an app in the snap may use, in addition to those in the snap's metadata, the preferred one first.
  var identifiers: [String] {
    if app.isEmpty { return [instance, name] }
    let joined = [".", "_"].flatMap { mark in [instance, name].map { $0 + mark + app } }
    return app == name ? [instance, name] + joined : joined + [instance, name]
  }

  /// Returns the value of every `common-id` in a snap's metadata, in block or in flow (`{…}`) style.
  static func declaredIdentifiers(in metadata: String) -> [String] {
    metadata.split(whereSeparator: \.isNewline).flatMap { line -> [String] in
      var rest = line
      var found: [String] = []
      while let key = rest.firstRange(of: "common-id") {
        let before = rest[..<key.lowerBound].last
        rest = rest[key.upperBound...]
        if let before, !" {,\"'".contains(before) { continue }
        rest = rest.drop { "\"' ".contains($0) }
        guard rest.first == ":" else { continue }
        let afterwards: Substring = rest.dropFirst().drop { "\"' ".contains($0) }
        let value = afterwards.prefix { !"\"',}# ".contains($0) }
        if !value.isEmpty { found.append(String(value)) }
      }
      return found
    }
  }
}
