// SPDX-License-Identifier: MIT

public import TokenCacheModel

/// What a contract case needs of the back end under test.
public struct ContractEnvironment: Sendable {
  /// The back end, empty, and used by nobody else.
  public let backend: any TokenCacheBackend

  /// Another instance over the same records, as another process would have.
  public let other: any TokenCacheBackend

  /// Runs between writing and reading: the place to restart a daemon or to reopen a file.
  ///
  /// Nothing, by default.
  public let settle: @Sendable () async throws -> Void

  /// Puts raw bytes in a record's place, as a stranger would.
  public let plant: @Sendable ([UInt8], RecordKey) async throws -> Void

  /// Describes a back end to the contract.
  public init(
    backend: any TokenCacheBackend, other: any TokenCacheBackend,
    settle: @escaping @Sendable () async throws -> Void = {},
    plant: @escaping @Sendable ([UInt8], RecordKey) async throws -> Void
  ) {
    self.backend = backend
    self.other = other
    self.settle = settle
    self.plant = plant
  }
}
