// SPDX-License-Identifier: MIT

/// A refresh token on its way to the server.
struct RefreshTokenInUse: Sendable, CustomReflectable {
  let secret: String
  /// The record that holds it: refreshes of it take turns.
  let owner: RecordKey
  /// The record's epoch when the token was read: when it is another later, the account was signed out.
  let epoch: Int
  /// The record's revision when the token was read: a new sign-in makes another.
  let revision: Int

  init(secret: String, owner: RecordKey, epoch: Int = 0, revision: Int = 0) {
    self.secret = secret
    self.owner = owner
    self.epoch = epoch
    self.revision = revision
  }

  var isFamilys: Bool { owner.kind == .family }

  /// Whether it is a family's, in either format.
  var isSharedByFamily: Bool { !owner.familyID.isEmpty }

  var customMirror: Mirror { Mirror(self, children: ["owner": owner]) }
}
