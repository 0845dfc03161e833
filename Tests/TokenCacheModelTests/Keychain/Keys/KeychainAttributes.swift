// SPDX-License-Identifier: MIT

import TokenCacheModel

@testable import KeychainItems

/// The attributes of a key or a query in clear; keys and queries redact themselves.
struct KeychainAttributes: Equatable, Sendable {
  let account: String?
  let service: String?
  let generic: String?
  let type: Int?

  init(_ account: String?, _ service: String?, _ generic: String?, _ type: Int?) {
    self.account = account
    self.service = service
    self.generic = generic
    self.type = type
  }

  init(_ key: KeychainItemKey) { self.init(key.account, key.service, key.generic, key.type) }

  init(_ query: KeychainItemQuery) { self.init(query.account, query.service, query.generic, query.type) }
}
