// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A watch of the list of groups, by the signals of the provider and of other users of this library.
actor GroupListWatch {
  private let client: SecretServiceClient
  private let timeout: Duration
  private let wakeSignal = WakeSignal()
  /// The connection that is subscribed to; a weak reference, so that it can be released.
  private weak var handle: ServiceHandle?
  private var subscriptions: BusListening?
  private var last: Result<[GroupSummary], SecretStoreError>?

  /// The time for which changes are collected before the list is read.
  private static let batchingDelay = Duration.milliseconds(50)
  /// The longest time between two reads while the list can be read.
  private static let longestWait = Duration.seconds(60)
  /// The longest time between two reads while it can't.
  private static let retryInterval = Duration.seconds(2)

  /// - Parameter timeout: The time limit of a read.
  init(client: SecretServiceClient, timeout: Duration) {
    self.client = client
    self.timeout = timeout
  }

  /// Returns the list when it has changed, the first time at once; `nil` when the task was cancelled.
  func next() async -> Result<[GroupSummary], SecretStoreError>? {
    while true {
      if let last {
        let isReadable = (try? last.get()) != nil
        await wakeSignal.wait(atMost: isReadable ? Self.longestWait : Self.retryInterval)
        try? await Task.sleep(for: Self.batchingDelay)
      }
      let list = await observe()
      if Task.isCancelled { return nil }
      if list == last { continue }
      last = list
      return list
    }
  }

  private func observe() async -> Result<[GroupSummary], SecretStoreError> {
    do {
      return .success(
        try await Deadline.run(within: timeout) {
          try await connect()
          return try await GroupList(client: client).summaries()
        })
    } catch let error as BusError {
      return .failure(error.storeError)
    } catch let error as SecretStoreError {
      return .failure(error)
    } catch {
      return .failure(SecretStoreError(.storageFailed, "The groups can't be listed.", underlying: error))
    }
  }

  /// Subscribes to the signals of the current connection.
  private func connect() async throws {
    let handle = try await client.connection()
    if self.handle === handle { return }
    let wakeSignal = wakeSignal
    subscriptions = await handle.subscribe(toChangesOfGroupList: { Task { await wakeSignal.wake() } })
    self.handle = handle
  }
}
