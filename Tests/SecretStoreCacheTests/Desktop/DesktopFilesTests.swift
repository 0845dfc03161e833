// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Desktop files")
struct DesktopFilesTests {
  private static let mail = "applications/com.contoso.mail.desktop"
  private static let start = "[Desktop Entry]\nType=Application\n"
  private static let good =
    start + "X-KeychainPublisher=contoso\nX-KeychainAccessGroups=com.contoso.shared;\n"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func catalog() -> ManifestCatalog {
    InstalledApps(environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": "/nonexistent"]).catalog()
  }

  private func manifest(_ name: String = "com.contoso.mail") throws -> AppManifest? {
    try catalog().manifest(for: AppIdentifier(name))
  }

  @Test("A file that is no regular file is not opened and does not block")
  func noFiles() throws {
    try folder.link("applications/nowhere.desktop", to: "/nonexistent/file")
    try folder.link("applications/circle.desktop", to: "circle.desktop")
    try folder.link("applications/null.desktop", to: "/dev/null")
    try folder.link("applications/folder.desktop", to: "/usr")
    #expect(unsafe mkfifo("\(folder.path)/applications/pipe.desktop", 0o644) == 0)
    let manifests = catalog().manifests
    #expect(manifests.map(\.identifier) == ["circle", "folder", "nowhere", "null", "pipe"])
    #expect(manifests.allSatisfy { $0.entitlements == nil && $0.declaresSharing })
    #expect(
      manifests.flatMap { $0.problems.filter(\.isRefusal).map(\.explanation) } == [
        "The file is a link that leads in a circle.", "The file is no regular file.",
        "The file is a link that leads nowhere.", "The file is no regular file.",
        "The file is no regular file.",
      ])
  }

  @Test("Folders become parts of the ID, up to a depth; links to folders are not followed")
  func identifiers() throws {
    for name in [
      "com.contoso.desktop", "kde/mail.desktop", "a/b/c.desktop", "mail.txt", "x.desktop/y.desktop",
    ] {
      try folder.write("applications/\(name)", Self.good)
    }
    try folder.write("applications/1/2/3/4/5/6/7/in.desktop", Self.good)
    try folder.write("applications/1/2/3/4/5/6/7/8/out.desktop", Self.good)
    try folder.link("applications/loop", to: "\(folder.path)/applications")
    #expect(
      catalog().manifests.map(\.identifier) == [
        "1-2-3-4-5-6-7-in", "a-b-c", "com.contoso", "kde-mail", "x.desktop-y",
      ])
  }

  @Test("A file or folder writable by others grants nothing")
  func writable() throws {
    try folder.write(Self.mail, Self.good)
    #expect(try manifest()?.entitlements != nil)
    for (name, mode, back) in [
      (Self.mail, 0o666, 0o644), (Self.mail, 0o646, 0o644), ("applications", 0o777, 0o755),
      ("applications", 0o1777, 0o755),
    ] {
      try folder.setMode(mode, of: name)
      #expect(try manifest()?.entitlements == nil)
      #expect(try manifest()?.problems.map(\.rule) == [.writableByOthers])
      try folder.setMode(back, of: name)
    }
    try folder.write("applications/sub/mail.desktop", Self.good)
    try folder.setMode(0o777, of: "applications/sub")
    #expect(try manifest("sub-mail")?.entitlements == nil)
    try folder.setMode(0o755, of: "applications/sub")
    #expect(try manifest("sub-mail")?.entitlements != nil)
  }

  @Test("A file that its group can write to grants what it says if the group is the user's private one")
  func writableByGroup() throws {
    let isPrivate = FileOwner.isPrivateGroup(getegid())
    try folder.write(Self.mail, Self.good)
    for name in [Self.mail, "applications"] {
      try folder.setMode(0o775, of: name)
      #expect(try (manifest()?.entitlements != nil) == isPrivate)
    }
  }

  @Test(
    "A user's private group has the user's name and no other member",
    arguments: [
      ("ada", [], true), ("ada", ["ada"], true), ("ada", ["ada", "eve"], false), ("users", [], false),
      ("users", ["ada"], false),
    ])
  func privateGroup(group: String, members: [String], isPrivate: Bool) {
    #expect(FileOwner.isPrivate(group: group, members: members, of: "ada") == isPrivate)
  }

  @Test("A link gets a warning and counts as its target")
  func links() throws {
    let real = try folder.write("elsewhere/mail.desktop", Self.good)
    try folder.link(Self.mail, to: real)
    #expect(try manifest()?.problems.map(\.rule) == [.symbolicLink])
    #expect(try manifest()?.entitlements != nil)
    try folder.setMode(0o666, of: "elsewhere/mail.desktop")
    #expect(try manifest()?.problems.map(\.rule) == [.symbolicLink, .writableByOthers])
    #expect(try manifest()?.entitlements == nil)
  }

  @Test("Folders are searched in the order of the variables, each once")
  func order() throws {
    for (number, name) in ["home", "one", "two"].enumerated() {
      try folder.write(
        "\(name)/\(Self.mail)",
        Self.start + "X-KeychainAccessGroups=\(String(repeating: "g", count: number + 1))")
    }
    let path = folder.path
    let apps = InstalledApps(environment: [
      "XDG_DATA_HOME": "\(path)/home/",
      "XDG_DATA_DIRS": "\(path)/one:relative:\(path)/home::\(path)/two:\(path)/one/",
    ])
    let places = apps.catalog().manifests.map { $0.path.replacing(path, with: "") }
    #expect(Set(places) == Set(["home", "one", "two"].map { "/\($0)/\(Self.mail)" }) && places.count == 3)
    #expect(places.firstIndex { $0.hasPrefix("/one") } ?? 9 < places.firstIndex { $0.hasPrefix("/two") } ?? 0)
  }

  @Test("Without the variable the home's default folder is used; a relative path is ignored")
  func defaults() throws {
    try folder.write(".local/share/\(Self.mail)", Self.good)
    for environment in [["HOME": folder.path], ["HOME": folder.path, "XDG_DATA_HOME": "relative"]] {
      let apps = InstalledApps(environment: environment.merging(["XDG_DATA_DIRS": "/nonexistent"]) { $1 })
      #expect(apps.catalog().manifests.map(\.identifier) == ["com.contoso.mail"])
    }
    let nowhere = InstalledApps(environment: ["XDG_DATA_DIRS": "/nonexistent"])
    #expect(nowhere.catalog().manifests.isEmpty)
  }

  @Test("Without either variable the system's default folders are used")
  func machine() {
    let paths = InstalledApps(environment: [:]).catalog().manifests.map(\.path)
    #expect(paths.allSatisfy { $0.hasPrefix("/usr/share/") || $0.hasPrefix("/usr/local/share/") })
  }
}
