// SPDX-License-Identifier: MIT

/// How a group stands, as somebody sees it who only looks.
public enum GroupState: Hashable, Sendable {
  /// There is no such group.
  case absent
  /// It can be read; `place` tells one placement from another and is for nothing else.
  case open(place: String)
  /// It is locked; the next call of an app may open it.
  case locked
  /// It is locked for good: what would open it is gone (`groupUnrecoverable`).
  case unrecoverable
  /// The store that it is in is not there, or does not answer.
  case unavailable
}
