// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Memory of secrets")
struct SecretMemoryTests {
  /// A sequence that keeps no byte in memory in clear; it computes each one on request.
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

    /// Counts the unmasked bytes in this process's writable memory.
    ///
    /// The search reads into a separate mapping, which it skips.
    func occurrences() throws -> Int {
      let memory = unsafe open("/proc/self/mem", O_RDONLY)
      defer { close(memory) }
      let size = 1 << 20
      let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      let buffer = unsafe try #require(mapped)
      defer { unsafe munmap(buffer, size) }
      let own = Int(bitPattern: buffer)..<Int(bitPattern: buffer) + size
      let maps = try String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)
      var count = 0
      for line in maps.split(separator: "\n") where line.split(separator: " ")[1].hasPrefix("rw") {
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
        let range = ends[0]..<ends[1]
        let parts =
          range.overlaps(own)
          ? [range.lowerBound..<own.lowerBound, own.upperBound..<range.upperBound] : [range]
        for part in parts {
          for start in stride(from: part.lowerBound, to: part.upperBound, by: size - bytes.count + 1) {
            let length = unsafe pread(memory, buffer, Swift.min(size, part.upperBound - start), start)
            guard length > 0 else { break }
            count += unsafe occurrences(in: UnsafeRawBufferPointer(start: buffer, count: length))
          }
        }
      }
      return count
    }

    private func occurrences(in content: UnsafeRawBufferPointer) -> Int {
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

  @Test("A secret is in memory once, and not after its release")
  func wiped() throws {
    let bytes = Masked()
    var secret: Secret? = Secret(bytes)
    #expect(try bytes.occurrences() == 1)
    withExtendedLifetime(secret) {}
    secret = nil
    #expect(try bytes.occurrences() == 0)
  }
}
