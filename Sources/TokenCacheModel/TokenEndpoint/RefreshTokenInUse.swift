// SPDX-License-Identifier: MIT

package import UnifiedCache

/// A refresh token that is about to be redeemed.
package struct RefreshTokenInUse: Sendable, CustomReflectable {
  package let secret: String
  /// The key of the record that holds the token, which is also the key of the refresh lease.
  package let owner: RecordKey
  /// The record's sign-out number when the token was read; it differs later if the account was signed out.
  package let signOutNumber: Int
  /// The record's revision when the token was read; a new sign-in increases it.
  package let revision: Int
  /// The time just before the records were read that the refresh goes on from; see
  /// ``DamagedRecords/setAside(_:since:)``.
  var readAt: Int

  package init(secret: String, owner: RecordKey, signOutNumber: Int = 0, revision: Int = 0, readAt: Int) {
    self.secret = secret
    self.owner = owner
    self.signOutNumber = signOutNumber
    self.revision = revision
    self.readAt = readAt
  }

  package var isFamilyToken: Bool { owner.kind == .family }

  /// Whether a family shares the token, in the unified or in an older library's format.
  package var isSharedByFamily: Bool { !owner.familyID.isEmpty }

  package var customMirror: Mirror { Mirror(self, children: ["owner": owner]) }
}
