// SPDX-License-Identifier: MIT

/// How a group stands, and who is signed in, at the time when somebody began to watch it.
public struct GroupSnapshot: Sendable {
  /// How the group stands.
  public let state: GroupState
  /// The accounts, sorted by user name; none where the group could not be read.
  public let accounts: [Account]
}
