// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension DesktopEntry {
  private static let group = "Desktop Entry"

  /// Reads a `.desktop` file; `nil` when it is no key file with the group `[Desktop Entry]`, or the keys that
  /// matter can't be read.
  init?(_ bytes: [UInt8]) {
    // GLib takes a zero byte for the end of a line.
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
  }
}
