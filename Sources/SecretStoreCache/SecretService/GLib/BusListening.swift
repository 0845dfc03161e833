// SPDX-License-Identifier: MIT

/// What is listened to on a bus, for as long as it is held.
final class BusListening: Sendable {
  private let subscriptions: [BusSubscription]
  private let closure: BusClosure

  init(_ subscriptions: [BusSubscription], _ closure: BusClosure) {
    self.subscriptions = subscriptions
    self.closure = closure
  }
}
