// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension DesktopEntry {
  private static let group = "Desktop Entry"

  /// Reads a `.desktop` file.
  ///
  /// - Returns: `nil` when it is not a key file with the group `[Desktop Entry]`, or a key that the library needs can't
  ///   be read.
  init?(_ bytes: [UInt8]) {
    // GLib treats a zero byte as the end of a line.
    guard !bytes.contains(0), let file = try? KeyFile(parsing: bytes), file.has(group: Self.group) else {
      return nil
    }
    self.init()
    do throws(BusError) {
      type = try file.string("Type", in: Self.group)
      publisher = try file.string(Self.publisherKey, in: Self.group)
      accessGroups = try file.list(Self.groupsKey, in: Self.group)
      mediaTypes = try file.list("MimeType", in: Self.group) ?? []
      command = try file.string("Exec", in: Self.group)
    } catch {
      return nil
    }
    name = try? file.string("Name", in: Self.group)
    isHidden = file.isTrue("Hidden", in: Self.group)
    isDBusActivatable = file.isTrue("DBusActivatable", in: Self.group)
    misplacedKeys = file.keys(beginningWith: Self.keyPrefix)
      .filter { $0.group != Self.group || ![Self.publisherKey, Self.groupsKey].contains($0.key) }
      .map { MisplacedKey(name: $0.key, section: $0.group) }
  }
}
