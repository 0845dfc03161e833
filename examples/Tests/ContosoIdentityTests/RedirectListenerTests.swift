// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import ContosoIdentity

@Suite("The loopback redirect", .serialized, .timeLimit(.minutes(1)))
struct RedirectListenerTests {
  static let uri = "http://127.0.0.1:48401/com.contoso.test"

  private func listener() throws -> RedirectListener {
    RedirectListener(redirect: try LoopbackRedirect(Self.uri)) { $0["state"] == "right" }
  }

  @Test("Stray requests are refused until the response arrives")
  func waits() async throws {
    let (statuses, log) = AsyncStream.makeStream(of: Int.self)
    let response = try await listener().response { _ in
      Task {
        for query in ["", "?code=c", "?code=c&state=wrong", "/else?state=right", "?code=a%2Bb&state=right"] {
          log.yield(try await Self.status(of: Self.uri + query))
        }
        log.finish()
      }
    }
    #expect(response == ["code": "a+b", "state": "right"])
    #expect(await statuses.reduce(into: []) { $0.append($1) } == [400, 400, 400, 404, 200])
  }

  @Test("A browser that fails ends the wait")
  func givesUp() async throws {
    await #expect(throws: SignInError.noBrowser(reason: "x")) {
      try await listener().response { giveUp in giveUp(.noBrowser(reason: "x")) }
    }
  }

  @Test("A port in use throws an error at once")
  func portInUse() async throws {
    _ = try await listener().response { giveUp in
      Task {
        await #expect(throws: SignInError.cannotListen(port: 48401)) {
          try await listener().response { _ in }
        }
        _ = try await Self.status(of: Self.uri + "?state=right")
      }
    }
  }

  @Test("The wait ends at the time limit, and the port is free again")
  func timesOut() async throws {
    for _ in 1...2 {
      let response = try await TimeLimit.run(.milliseconds(200)) { try await listener().response { _ in } }
      #expect(response == nil)
    }
  }

  private static func status(of address: String) async throws -> Int {
    let (_, response) = try await URLSession.shared.data(from: #require(URL(string: address)))
    return try #require(response as? HTTPURLResponse).statusCode
  }
}
