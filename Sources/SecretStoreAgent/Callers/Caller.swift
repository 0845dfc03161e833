// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// Who calls the agent, by what the system reports about the calling process.
package struct Caller: Hashable, Sendable {
  /// The sandbox of a caller.
  package enum Kind: Hashable, Sendable {
    case flatpak
    case snap
    /// No sandbox: a program with all rights of the user.
    case host
  }

  /// The sandbox.
  package let kind: Kind

  /// The app that the sandbox names, or `nil` for a host program.
  package let app: AppIdentifier?

  /// The groups that the metadata of a Flatpak state, unchecked.
  package let groups: [String]

  /// The publisher that the metadata of a Flatpak state, unchecked.
  package let publisher: String?

  /// A program outside of any sandbox.
  package static let host = Caller(kind: .host, app: nil, groups: [], publisher: nil)

  /// Creates a caller in a snap.
  package static func snap(_ app: AppIdentifier) -> Caller {
    Caller(kind: .snap, app: app, groups: [], publisher: nil)
  }

  /// Creates a caller in a Flatpak.
  package static func flatpak(
    _ app: AppIdentifier, groups: [String] = [], publisher: String? = nil
  ) -> Caller {
    Caller(kind: .flatpak, app: app, groups: groups, publisher: publisher)
  }
}

extension Caller: CustomStringConvertible {
  /// The sandbox and the app, for the log.
  package var description: String {
    switch kind {
    case .flatpak: "the Flatpak \(app?.name ?? "")"
    case .snap: "the snap \(app?.name ?? "")"
    case .host: "a host program"
    }
  }
}
