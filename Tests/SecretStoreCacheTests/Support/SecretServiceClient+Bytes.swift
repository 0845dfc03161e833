// SPDX-License-Identifier: MIT

@testable import SecretStoreCache

/// Writes bytes that are no secret, for tests.
extension SecretServiceClient {
  func setSecret(
    _ bytes: [UInt8], of item: ObjectPath, during optimisticWrite: OptimisticWrite? = nil
  ) async throws {
    try await setSecret(Secret(bytes), of: item, during: optimisticWrite)
  }

  func createItem(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: [UInt8],
    during optimisticWrite: OptimisticWrite? = nil
  ) async throws -> ObjectPath {
    try await createItem(
      in: collection, label: label, attributes: attributes, schema: schema, secret: Secret(secret),
      during: optimisticWrite)
  }
}
