// SPDX-License-Identifier: MIT

@testable import SecretStoreCache

/// What tests write, which is no secret.
extension SecretServiceClient {
  func setSecret(_ bytes: [UInt8], of item: ObjectPath) async throws {
    try await setSecret(Secret(bytes), of: item)
  }

  func createItem(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: [UInt8]
  ) async throws -> ObjectPath {
    try await createItem(
      in: collection, label: label, attributes: attributes, schema: schema, secret: Secret(secret))
  }
}
