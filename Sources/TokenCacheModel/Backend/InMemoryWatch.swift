// SPDX-License-Identifier: MIT

/// Watches an ``InMemoryBackend``, which does not keep it.
final class InMemoryWatch: GroupWatch {
  private let backend: InMemoryBackend
  private let bell = Doorbell()

  init(_ backend: InMemoryBackend) { self.backend = backend }

  func ring() { Task { await bell.ring() } }

  func wait(atMost limit: Duration) async { await bell.wait(atMost: limit) }

  func look(for queries: [RecordQuery]) async -> GroupView {
    do {
      return GroupView(place: "memory", records: try await backend.records(matchingAny: queries))
    } catch {
      return GroupView(error)
    }
  }
}
