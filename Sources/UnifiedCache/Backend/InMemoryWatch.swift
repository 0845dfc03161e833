// SPDX-License-Identifier: MIT

/// A watch on an ``InMemoryBackend``.
///
/// The back end holds only a weak reference to it.
final class InMemoryWatch: GroupWatch {
  private let backend: InMemoryBackend
  private let wakeSignal = WakeSignal()

  init(_ backend: InMemoryBackend) { self.backend = backend }

  func wake() { Task { await wakeSignal.wake() } }

  func wait(atMost limit: Duration) async { await wakeSignal.wait(atMost: limit) }

  func observe(_ queries: [RecordQuery]) async -> GroupObservation {
    do {
      return GroupObservation(placement: "memory", records: try await backend.records(matchingAny: queries))
    } catch {
      return GroupObservation(error)
    }
  }
}
