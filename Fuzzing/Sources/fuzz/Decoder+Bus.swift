// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

@testable import SecretStoreCache

extension Decoder {
  /// Checks a value from the bus: its type, a zero byte, and its serialized form.
  func checkBusValue(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let type = String(decoding: parts[0], as: UTF8.self)
    _ = Reply.lending(parts.count > 1 ? Array(parts[1]) : [], as: type) { reply in
      check(reply, type)
      // Calls read values inside of a tuple, often inside of a variant in it.
      for index in [0, 1, 2, Int.max] {
        check(reply, at: index)
        let content = reply.unwrapped(at: index) { value -> Bool? in
          check(value, nil)
          return true
        }
        expect(content == nil || reply.text == nil, "a text has nothing inside")
      }
    }
  }

  /// Reads a value as every type.
  private func check(_ reply: Reply, _ type: String?) {
    let (text, bool, number) = (reply.text, reply.bool, reply.number)
    let (texts, paths, pairs) = (reply.texts, reply.paths, reply.pairs)
    let readings = [text != nil, bool != nil, number != nil, texts != nil, paths != nil, pairs != nil]
    expect(readings.count { $0 } <= 1, "a value is of one type")
    if let type {
      expect((text != nil) == ["s", "o"].contains(type), "what is a text reads as one")
      expect((bool != nil) == (type == "b"), "what is a boolean reads as one")
      expect((texts != nil) == (type == "as"), "what is a list of texts reads as one")
      expect((paths != nil) == (type == "ao"), "what is a list of paths reads as one")
      expect((pairs != nil) == (type == "a{ss}"), "what is a dictionary reads as one")
    }
    expect(reply.text == text && reply.texts == texts && reply.pairs == pairs, "it reads the same again")
    for path in paths ?? [] { check(path) }
    if let pairs {
      if let key = ItemAttributes.key(pairs) {
        expect(key.kind.rawValue == pairs["kind"], "a key is its kind's")
      }
      if let file = GnomeKeyringFile(attribute: pairs[ItemAttributes.keyring]) {
        expect(
          file.collection.flatMap(GnomeKeyringFile.init(collection:)) == file, "a file is its collection's")
      }
    }
    if let text {
      if let path = ObjectPath(text) { check(path) }
      if let marker = try? GroupMarker(parsing: Secret(text)) {
        let again = expectNoError("it is valid") { try GroupMarker(parsing: marker.serialized()) }
        expect(again.group == marker.group && again.placement == marker.placement, "it says the same again")
      }
    }
  }

  private func check(_ reply: Reply, at index: Int) {
    let path = reply.path(at: index)
    expect(path == nil || reply.text(at: index) == path?.text, "a path is a text, too")
    let lists = [reply.paths(at: index) != nil, reply.texts(at: index) != nil]
    let values = [
      reply.bool(at: index) != nil, reply.number(at: index) != nil, reply.text(at: index) != nil,
    ]
    expect((lists + values).count { $0 } <= 1, "a value is of one type")
  }

  private func check(_ path: ObjectPath) {
    expect(
      path.parent.text.utf8.count <= max(1, path.text.utf8.count), "a parent is no longer than its child")
    _ = GnomeKeyringFile(collection: path)
  }
}
