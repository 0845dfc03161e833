// SPDX-License-Identifier: MIT

/// The placement of a group's items.
///
/// The app that creates the group decides it once, and stores it in the group's marker.
public struct GroupPlacement: Hashable, Sendable, CustomStringConvertible {
  private enum Storage: String {
    case dedicated, dedicatedIfSilent, shared
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// A dedicated collection, or an error.
  public static let dedicated = GroupPlacement(.dedicated)
  /// A dedicated collection if it can be created without a prompt, otherwise as ``shared``.
  ///
  /// This is the default.
  public static let dedicatedIfSilent = GroupPlacement(.dedicatedIfSilent)
  /// The default collection, on gnome-keyring the login collection, where attributes distinguish the group's items.
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
