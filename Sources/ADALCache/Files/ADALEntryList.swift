// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The results of reading the entries of a file.
struct ADALEntryList {
  private(set) var tokens: [ADALToken] = []
  private(set) var leftOut: [ADALLeftOut] = []
  private let skippingInvalid: Bool
  private var index = 0

  init(skippingInvalid: Bool) { self.skippingInvalid = skippingInvalid }

  /// Reads the next entry with `read` and adds its result.
  ///
  /// - Throws: `invalidFile` when the entry can't be read and invalid entries are not skipped.
  mutating func add(
    reading read: () throws(ADALEntryProblem) -> ADALEntry
  ) throws(SecretStoreError) {
    defer { index += 1 }
    do throws(ADALEntryProblem) {
      switch try read() {
      case .tokens(let items): tokens += try items.map { item throws(ADALEntryProblem) in try item.checked() }
      case .leftOut(let reason): leftOut.append(ADALLeftOut(index: index, reason: reason, detail: nil))
      }
    } catch {
      guard skippingInvalid else {
        throw SecretStoreError(.invalidFile, "The entry at index \(index) of the file \(error.detail).")
      }
      leftOut.append(ADALLeftOut(index: index, reason: .invalid, detail: error.detail))
    }
  }
}

extension ADALToken {
  /// Returns the item itself; throws when it can't be stored.
  fileprivate func checked() throws(ADALEntryProblem) -> ADALToken {
    if authority.isEmpty { throw ADALEntryProblem("lacks an authority") }
    if clientID.isEmpty { throw ADALEntryProblem("lacks a client") }
    if let name = invalidIdentifier {
      throw ADALEntryProblem("has a \(name) with a control character, too many combining marks or a token")
    }
    if kind == nil { throw ADALEntryProblem("holds no token") }
    let limit = TokenResponse.maximumTokenBytes
    for token in [accessToken, refreshToken, idToken] where (token?.utf8.count ?? 0) > limit {
      throw ADALEntryProblem("has a token larger than \(limit) bytes")
    }
    if JSONValue.object(fields).depth > Self.maximumDepth {
      throw ADALEntryProblem("has more than \(Self.maximumDepth) levels")
    }
    return self
  }

  /// The maximum nesting depth of an item, so that a document can hold it: 32 levels.
  static let maximumDepth = 32
}

extension JSONValue {
  /// The number of nested arrays and objects.
  fileprivate var depth: Int {
    switch self {
    case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    case .null, .bool, .number, .string: 0
    }
  }
}

/// The result of reading one entry of a file.
enum ADALEntry {
  /// The ADAL items that the entry holds.
  case tokens([ADALToken])
  /// No items, for a reason that is not an error.
  case leftOut(ADALLeftOut.Reason)
}

/// An error in an entry, worded as the end of a sentence; it names members of the format but shows no content.
struct ADALEntryProblem: Error {
  let detail: String

  init(_ detail: String) { self.detail = detail }
}
