// SPDX-License-Identifier: MIT

/// Looks again every few seconds: for back ends that can't tell when something changes.
struct PollingWatch: GroupWatch {
  let backend: any TokenCacheBackend
  var interval = Duration.seconds(5)

  func wait(atMost limit: Duration) async { try? await Task.sleep(for: min(limit, interval)) }

  func look(for queries: [RecordQuery]) async -> GroupView {
    do {
      return GroupView(place: "", records: try await backend.records(matchingAny: queries))
    } catch {
      return GroupView(error)
    }
  }
}
