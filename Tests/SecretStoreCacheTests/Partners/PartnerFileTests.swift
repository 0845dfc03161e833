// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel
import PartnerCaches
import Testing

@Suite("Files of other tools")
struct PartnerFileTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/partner-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// A tool reads its cache again only if the file's time is later than the time at which it read it last.
  ///
  /// The kernel's coarse clock, which a plain touch takes, is up to a tick behind.
  @Test("The time of a touched file is never before the clock at the touch")
  func exactTime() throws {
    let path = "\(folder)/companion"
    for _ in 1...200_000 {
      var before = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &before)
      try PartnerFile.touch(path)
      var info = stat()
      try #require(unsafe stat(path, &info) == 0)
      let isLater = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec) >= (before.tv_sec, before.tv_nsec)
      try #require(isLater)
    }
  }

  @Test("A touched link, folder or pipe is refused, and the link's file keeps its time")
  func refused() throws {
    let file = "\(folder)/file"
    try PartnerFile.touch(file)
    var before = stat()
    try #require(unsafe stat(file, &before) == 0)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: file)
    try #require(unsafe mkfifo("\(folder)/pipe", 0o600) == 0)
    for path in ["\(folder)/link", folder, "\(folder)/pipe"] {
      #expect(throws: SecretStoreError.self) { try PartnerFile.touch(path) }
    }
    var after = stat()
    try #require(unsafe stat(file, &after) == 0)
    #expect(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
  }
}
