// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension Diagnosis {
  /// Something that ``SecretStore/perform(_:)`` can mend: nothing that may be the only copy of anything is ever
  /// removed by it.
  public struct Repair: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
      case remakeMarker, renewKey, gatherCollections, mergeDuplicates, removeEmptyItems
    }

    let kind: Kind
    let group: AccessGroup

    /// What is done, in a few words that begin a sentence.
    public var description: String {
      switch kind {
      case .remakeMarker: "Remake the marker of \(group)"
      case .renewKey: "Move \(group) into a new collection with a password that is stored"
      case .gatherCollections: "Bring all items of \(group) into one collection"
      case .mergeDuplicates: "Remove the older copies of items of \(group)"
      case .removeEmptyItems: "Remove the empty items of \(group)"
      }
    }
  }
}
