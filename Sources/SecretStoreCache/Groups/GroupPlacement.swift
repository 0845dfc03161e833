// SPDX-License-Identifier: MIT

/// Where a group's items are kept.
///
/// It is decided once, by the app that makes the group, and written in the group's marker.
public struct GroupPlacement: Hashable, Sendable, CustomStringConvertible {
  private enum Storage: String {
    case dedicated, dedicatedIfSilent, shared
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// A collection of its own, or an error.
  public static let dedicated = GroupPlacement(.dedicated)
  /// A collection of its own if it can be had without a dialog, else the default collection.
  ///
  /// The default.
  public static let dedicatedIfSilent = GroupPlacement(.dedicatedIfSilent)
  /// The default collection, told apart by attributes.
  public static let shared = GroupPlacement(.shared)

  /// The placement's name.
  public var description: String { storage.rawValue }

  init?(markerValue: String) {
    switch Storage(rawValue: markerValue) {
    case .dedicated?: self = .dedicated
    case .shared?: self = .shared
    default: return nil
    }
  }
}
