// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

extension Diagnosis {
  /// A repair that ``SecretStore/perform(_:progress:)`` can make.
  ///
  /// A repair never removes anything that may be the only copy of some data.
  public struct Repair: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
      case remakeMarker, renewKey, moveIntoOneCollection, mergeDuplicates, removeEmptyItems,
        restoreAttributes,
        setAsideDamaged, writeFile
    }

    let kind: Kind
    let group: AccessGroup
    /// The keyring that the repair opens, which is not encrypted; `nil` for none.
    var opening: PlainKeyring?

    /// Whether what it has not done yet is lost at the next login.
    package var isLostAtLogin: Bool { kind == .renewKey }

    /// What the repair does, as the beginning of a sentence.
    public var description: String {
      switch kind {
      case .remakeMarker: "Remake the marker of \(group)"
      case .renewKey: "Move \(group) into a new collection with a password that is stored"
      case .moveIntoOneCollection: "Bring all items of \(group) into one collection"
      case .mergeDuplicates: "Remove the older copies of items of \(group)"
      case .removeEmptyItems: "Remove the empty items of \(group)"
      case .restoreAttributes: "Write the attributes of items of \(group) again, as their content says"
      case .writeFile: "Have the keyring daemon write the file of \(group) again"
      case .setAsideDamaged: "Set aside what can't be read of \(group), with all that it holds"
      }
    }
  }
}
