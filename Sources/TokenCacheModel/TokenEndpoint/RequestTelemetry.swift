// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// The telemetry that all copies of one cache send to Azure AD, in version 4 of the MSALs' format.
final class RequestTelemetry: Sendable {
  private struct Failure {
    let api: Int
    let correlationID: UUID
    let code: String

    var size: Int { ",\(api),\(correlationID.uuidString),\(code)".utf8.count }
  }

  private struct State {
    var cacheHits = 0
    var failures: [Failure] = []
  }

  /// The size from which Azure AD cuts off the header of earlier requests.
  private static let maximumBytes = 350

  private let state = Locked(State())

  /// Counts a call that the cache answered.
  func countCacheHit() { state.withLock { $0.cacheHits += 1 } }

  /// Records a failed request, if there is room for it.
  func record(_ code: String, api: Int, _ correlationID: UUID) {
    let failure = Failure(api: api, correlationID: correlationID, code: code)
    state.withLock { state in
      let size = state.failures.reduce(failure.size) { $0 + $1.size }
      if size < Self.maximumBytes { state.failures.append(failure) }
    }
  }

  /// Forgets what the server has got.
  func clear() { state.withLock { $0 = State() } }

  /// Returns the header fields of a request.
  ///
  /// - Parameters:
  ///   - api: The number of the calling function.
  ///   - reason: The number of the reason for the request.
  func headers(api: Int, reason: Int) -> [(name: String, value: String)] {
    let state = state.withLock { $0 }
    let requests = state.failures.map { "\($0.api),\($0.correlationID.uuidString.lowercased())" }
    let codes = state.failures.map(\.code)
    return [
      (name: "x-client-current-telemetry", value: "4|\(api),\(reason)|"),
      (
        name: "x-client-last-telemetry",
        value: "4|\(state.cacheHits)|\(requests.joined(separator: ","))|\(codes.joined(separator: ","))|"
      ),
    ]
  }
}
