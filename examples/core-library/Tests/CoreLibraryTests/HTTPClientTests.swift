// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import SecretStoreCache
import Testing

@testable import CoreLibrary

@Suite("HTTP client", .timeLimit(.minutes(1)))
struct HTTPClientTests {
  @Test(
    "The time limit is for the whole exchange, however often the server sends a byte",
    arguments: ["HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"])
  func slowServer(beginning: String) async throws {
    let server = try SlowServer(beginning: beginning)
    let client = URLSessionClient(limit: .milliseconds(500))
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/token"))
    await #expect(throws: SecretStoreError(.networkError, "")) {
      try await client.send("a=b", to: url, headers: [])
    }
  }
}

/// A server that sends the beginning of a response, and then a byte every tenth of a second, for ever.
private final class SlowServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init(beginning: String) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, length)
        listen(listener, 1)
        unsafe getsockname(listener, pointer, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread.detachNewThread {
      let connection = accept(listener, nil, nil)
      var bytes = Array(beginning.utf8)
      while unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {
        bytes = [UInt8(ascii: " ")]
        usleep(100_000)
      }
      close(connection)
    }
  }

  deinit { close(listener) }
}
