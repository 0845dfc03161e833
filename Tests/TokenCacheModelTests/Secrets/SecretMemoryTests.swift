// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import TokenCacheModel

@Suite("Secrets in memory")
struct SecretMemoryTests {
  /// A sequence whose bytes stand nowhere until somebody asks for them.
  private struct Masked: Sequence {
    private static let mask: UInt8 = 0xA7
    let bytes: [UInt8] = (0..<48).map { _ in .random(in: 0...255) }

    func makeIterator() -> AnyIterator<UInt8> {
      var index = 0
      return AnyIterator {
        defer { index += 1 }
        return index < bytes.count ? bytes[index] ^ Self.mask : nil
      }
    }

    /// How often the unmasked bytes stand in this process's writable memory.
    ///
    /// What is read of it is wiped at once, so that it is not found as well.
    func occurrences() throws -> Int {
      let memory = unsafe open("/proc/self/mem", O_RDONLY)
      defer { close(memory) }
      let maps = try String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var count = 0
      for line in maps.split(separator: "\n") where line.split(separator: " ")[1].hasPrefix("rw") {
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
        for start in stride(from: ends[0], to: ends[1], by: buffer.count - bytes.count + 1) {
          let length = unsafe pread(memory, &buffer, Swift.min(buffer.count, ends[1] - start), start)
          guard length > 0 else { break }
          count += occurrences(in: buffer[..<length])
          buffer.wipe()
        }
      }
      return count
    }

    private func occurrences(in content: ArraySlice<UInt8>) -> Int {
      unsafe content.withUnsafeBytes { content in
        var count = 0
        var start = 0
        while start + bytes.count <= content.count, let base = content.baseAddress,
          let found = unsafe memchr(base + start, Int32(bytes[0] ^ Self.mask), content.count - start)
        {
          start = unsafe UnsafeRawPointer(found) - base
          let isWhole = start + bytes.count <= content.count
          if isWhole, bytes.indices.allSatisfy({ unsafe content[start + $0] == bytes[$0] ^ Self.mask }) {
            count += 1
          }
          start += 1
        }
        return count
      }
    }
  }

  @Test("A secret stands in memory once, and nowhere when it is released")
  func wiped() throws {
    let bytes = Masked()
    var secret: Secret? = Secret(bytes)
    #expect(try bytes.occurrences() == 1)
    withExtendedLifetime(secret) {}
    secret = nil
    #expect(try bytes.occurrences() == 0)
  }
}
