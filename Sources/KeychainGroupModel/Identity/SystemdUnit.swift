// SPDX-License-Identifier: MIT

/// The systemd unit of an app, named as systemd's "Desktop Environment Integration" specifies.
///
/// The forms are `app[-<launcher>]-<app id>-<random>.scope` and `app[-<launcher>]-<app id>[@<random>].service`.
struct SystemdUnit: Hashable {
  /// The unit's name as systemd writes it.
  let name: String
  let app: String
  private let launcher: String?
  private let random: String?
  private let isScope: Bool

  /// Reads a unit's name, or returns `nil` when the unit is not an app's.
  init?(_ name: String) {
    guard name.hasPrefix("app-") else { return nil }
    let parts: [String]
    if name.hasSuffix(".scope") {
      parts = Self.parts(name.dropFirst(4).dropLast(6))
      guard parts.count == 2 || parts.count == 3 else { return nil }
      isScope = true
      random = parts.last
      app = parts[parts.count - 2]
      launcher = parts.count == 3 ? parts[0] : nil
    } else if name.hasSuffix(".service") {
      let body = name.dropFirst(4).dropLast(8)
      let mark = body.firstIndex(of: "@") ?? body.endIndex
      var names = Self.parts(body[..<mark])
      // systemd before version 248: app-<app id>-autostart.service
      if names.count == 2 && names[1] == "autostart" { names.removeLast() }
      guard names.count == 1 || names.count == 2 else { return nil }
      isScope = false
      random = nil
      app = names[names.count - 1]
      launcher = names.count == 2 ? names[0] : nil
    } else {
      return nil
    }
    if app.isEmpty { return nil }
    self.name = name
  }

  /// Returns whether the unit was created for this very process.
  ///
  /// Child processes of an app stay in the app's unit: a program in a terminal is in the terminal's unit, and an app
  /// that a browser opens a link with is in the browser's unit. So a unit is evidence only if it names the process. A
  /// scope names it by the process ID, which desktops use as the random part. A service names it by `SYSTEMD_EXEC_PID`
  /// (systemd.exec(5)). A Flatpak scope holds only its sandbox, so it always counts.
  func isOwn(_ facts: ProcessFacts) -> Bool {
    if launcher == "flatpak" { return true }
    let processID = String(facts.processID)
    return isScope ? random == processID : facts.environment["SYSTEMD_EXEC_PID"] == processID
  }

  /// Returns the parts between hyphens, without systemd's escapes.
  private static func parts(_ text: Substring) -> [String] {
    text.split(separator: "-", omittingEmptySubsequences: false).map(unescape)
  }

  /// Returns a name without systemd's escapes, such as `\x2d` for a hyphen (systemd.unit(5)).
  ///
  /// An escape here has two marks, and a malformed one is text. So ``PercentEncoding`` does not fit.
  static func unescape(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
        let high = rest.dropFirst().first.flatMap(\.hexadecimalValue),
        let low = rest.dropFirst(2).first.flatMap(\.hexadecimalValue)
      else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst(3)
      bytes.append(high << 4 | low)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
