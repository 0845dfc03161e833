// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@testable import SecretStoreCache

@Suite("Unlocked writers")
struct UnlockedWritersTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day = 86_400

  @Test(
    "An announcement is valid for a week and is renewed after a day",
    arguments: [
      (0, true, true), (-day + 60, true, true), (-day - 60, false, true), (-7 * day + 60, false, true),
      (-7 * day - 60, false, false), (60, true, true), (day + 60, false, true), (8 * day, false, false),
    ])
  func age(seconds: Int, isRecent: Bool, counts: Bool) {
    let writers = UnsharedLockWriters(JSONValue(integerLiteral: 1_800_000_000 + seconds))
    #expect(writers.areRecent(at: Self.now) == isRecent)
    #expect(writers.requireVerification(at: Self.now) == counts)
  }

  @Test(
    "A value that is no time announces nothing",
    arguments: [nil, .null, "soon", "", -1, "99999999999999999999999", [], [:]] as [JSONValue?])
  func nothing(value: JSONValue?) {
    #expect(!UnsharedLockWriters(value).requireVerification(at: Self.now))
    #expect(UnsharedLockWriters(value) == UnsharedLockWriters())
  }

  @Test("The marker stores the announcement")
  func marker() throws {
    var marker = GroupMarker(group: try AccessGroup("com.contoso.shared"), placement: .dedicated)
    #expect(!String(decoding: marker.serialized().data, as: UTF8.self).contains("unlocked"))
    marker.unsharedLockWriters = .now(Self.now)
    let read = try GroupMarker(parsing: marker.serialized())
    #expect(read.unsharedLockWriters == marker.unsharedLockWriters)
    #expect(read.unsharedLockWriters.requireVerification(at: Self.now))
  }

  @Test("The latest of several announcements counts")
  func merged() {
    let (old, new) = (UnsharedLockWriters(1), UnsharedLockWriters(2))
    #expect(old.merged(with: new) == new)
    #expect(new.merged(with: old) == new)
    #expect(UnsharedLockWriters().merged(with: old) == old)
  }
}
