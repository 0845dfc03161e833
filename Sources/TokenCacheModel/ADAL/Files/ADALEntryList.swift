// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Gathers what the entries of a file come to.
struct ADALEntryList {
  private(set) var tokens: [ADALToken] = []
  private(set) var leftOut: [ADALLeftOut] = []
  private let skippingInvalid: Bool
  private var index = 0

  init(skippingInvalid: Bool) { self.skippingInvalid = skippingInvalid }

  /// Takes the next entry, which `read` reads.
  ///
  /// - Throws: `corruptItem` when it can't be read, and is not to be skipped.
  mutating func take(
    _ read: () throws(ADALEntryProblem) -> ADALEntry
  ) throws(SecretStoreError) {
    defer { index += 1 }
    do throws(ADALEntryProblem) {
      switch try read() {
      case .tokens(let items): tokens += try items.map { item throws(ADALEntryProblem) in try item.checked() }
      case .leftOut(let reason): leftOut.append(ADALLeftOut(index: index, reason: reason, detail: nil))
      }
    } catch {
      guard skippingInvalid else {
        throw SecretStoreError(.corruptItem, "The entry at index \(index) of the file \(error.detail).")
      }
      leftOut.append(ADALLeftOut(index: index, reason: .invalid, detail: error.detail))
    }
  }
}

extension ADALToken {
  /// The item itself, when it is fit to be kept.
  fileprivate func checked() throws(ADALEntryProblem) -> ADALToken {
    if authority.isEmpty { throw ADALEntryProblem("lacks an authority") }
    if clientID.isEmpty { throw ADALEntryProblem("lacks a client") }
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

  /// How deep an item's members may go, so that it can be kept within a document: 32 levels.
  static let maximumDepth = 32
}

extension JSONValue {
  /// How many arrays and objects are within each other.
  fileprivate var depth: Int {
    switch self {
    case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    case .null, .bool, .number, .string: 0
    }
  }
}
