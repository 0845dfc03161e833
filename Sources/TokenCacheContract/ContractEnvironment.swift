// SPDX-License-Identifier: MIT

public import TokenCacheModel

/// The back end under test, and what a contract case needs to test it.
public struct ContractEnvironment: Sendable {
  /// The back end.
  ///
  /// It is empty and not used elsewhere.
  public let backend: any TokenCacheBackend

  /// Another instance that uses the same records, as another process would.
  public let other: any TokenCacheBackend

  /// A function that runs between writing and reading, for example to restart a daemon or to reopen a file.
  ///
  /// By default it does nothing.
  public let settle: @Sendable () async throws -> Void

  /// A function that stores raw bytes as a record, as another program could.
  public let storeRaw: @Sendable ([UInt8], RecordKey) async throws -> Void

  /// A function that lets a process take the refresh lease of a key and die, such as by `SIGKILL`, while it holds it.
  ///
  /// It returns when the process is dead. It is `nil` for a back end within one process, where no holder dies alone.
  public let killLeaseHolder: (@Sendable (RecordKey) async throws -> Void)?

  /// A function that lets the store fail from now on, or work again.
  ///
  /// It is `nil` where the store can't be made to fail.
  public let failReads: (@Sendable (Bool) async throws -> Void)?

  /// Creates an environment for a back end.
  public init(
    backend: any TokenCacheBackend, other: any TokenCacheBackend,
    settle: @escaping @Sendable () async throws -> Void = {},
    storeRaw: @escaping @Sendable ([UInt8], RecordKey) async throws -> Void,
    killLeaseHolder: (@Sendable (RecordKey) async throws -> Void)? = nil,
    failReads: (@Sendable (Bool) async throws -> Void)? = nil
  ) {
    self.backend = backend
    self.other = other
    self.settle = settle
    self.storeRaw = storeRaw
    self.killLeaseHolder = killLeaseHolder
    self.failReads = failReads
  }
}
