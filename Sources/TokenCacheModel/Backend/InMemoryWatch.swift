// SPDX-License-Identifier: MIT

/// Watches an ``InMemoryBackend``.
final class InMemoryWatch: GroupWatch {
  private let bell = Doorbell()

  func ring() { Task { await bell.ring() } }

  func wait(atMost limit: Duration) async { await bell.wait(atMost: limit) }

  func state() async -> GroupState { .open(place: "memory") }
}
