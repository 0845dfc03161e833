// SPDX-License-Identifier: MIT

import TokenCacheModel

/// One call that requests secrets.
///
/// A bus disconnects a program that sends an array of more than 64 MiB (D-Bus Specification, "Marshalling"), and
/// gnome-keyring then exits. Any program can store items of nearly that size, and no call returns an item's size. What
/// bounds it is the size of its collection's file. Where that is too large or unknown, each secret is requested by
/// itself: a single one of the size that `CreateItem` accepts fits into the reply of `GetSecret`, which unlike that of
/// `GetSecrets` has no array around it.
enum SecretRequest: Sendable, Hashable {
  /// A `GetSecrets`.
  case batch([ObjectPath])
  /// A `GetSecret`.
  case single(ObjectPath)

  /// The most bytes that the secrets of one call may have, half of what a bus accepts.
  static let maximumBytes = 32 << 20

  /// The number of secrets requested in one call: this many records of the largest size fill ``maximumBytes``.
  static let itemsPerCall = maximumBytes / CacheDocument.maximumBytes

  /// The number of items.
  var count: Int {
    switch self {
    case .batch(let items): items.count
    case .single: 1
    }
  }

  /// Returns the calls that request the secrets of items.
  ///
  /// - Parameter sizeOf: Returns the size in bytes of a collection's file; `nil` where it is unknown. It is `nil`
  ///   itself for a provider that does not exit.
  static func list(
    for items: Set<ObjectPath>, sizeOf: ((ObjectPath) -> Int?)?
  ) -> [SecretRequest] {
    guard let sizeOf else { return batches(of: Array(items)) }
    var small: [ObjectPath] = []
    var others: [SecretRequest] = []
    var rest = maximumBytes
    for (collection, items) in Dictionary(grouping: items, by: \.parent) {
      if let size = sizeOf(collection), size <= rest {
        rest -= size
        small += items
      } else {
        others += items.map(Self.single)
      }
    }
    return batches(of: small) + others
  }

  private static func batches(of items: [ObjectPath]) -> [SecretRequest] {
    stride(from: 0, to: items.count, by: itemsPerCall).map { start in
      .batch(Array(items[start..<min(start + itemsPerCall, items.count)]))
    }
  }
}
