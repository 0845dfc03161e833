// SPDX-License-Identifier: MIT

import TokenCacheModel
import UnifiedCache

/// An index of elements by ADAL user, looked up by account with the rules of ``ADALUser/isSame(as:)``.
struct ADALUserIndex<Element: Sendable>: Sendable {
  /// The environments in which a user is known.
  enum Scope: Hashable {
    case environment(String)
    /// Any environment of this issuer.
    case issuer(Issuer)
    /// Any environment without an issuer: a Microsoft cloud, B2C or AD FS.
    case microsoft
  }

  private struct Key: Hashable {
    let scope: Scope
    let name: ADALUserName
    /// Whether the key is for look-ups by accounts that have an identifier.
    ///
    /// Such an account matches by name only those users whose identifier ADAL does not know.
    let isOfIdentified: Bool
  }

  private var elements: [Element] = []
  private var indices: [Key: [Int]] = [:]

  /// Adds an element of a user in each of the given scopes.
  mutating func add(_ element: Element, of user: ADALUser, in scopes: [Scope]) {
    for scope in scopes {
      for name in user.names { note(Key(scope: scope, name: name, isOfIdentified: false)) }
      for name in user.namesOfIdentified { note(Key(scope: scope, name: name, isOfIdentified: true)) }
    }
    elements.append(element)
  }

  private mutating func note(_ key: Key) { indices[key, default: []].append(elements.count) }

  /// Returns the elements of an account in a place, each once, in the order in which they were added.
  func elements(of account: Account, in scope: Scope) -> [Element] {
    let identifier = ADALUserName(identifier: account.identifier)
    var names = account.adalNames.union(account.ownOtherNames.map { .user($0.compared) })
    if let identifier { names.insert(identifier) }
    let found = names.flatMap { name in
      indices[Key(scope: scope, name: name, isOfIdentified: identifier != nil)] ?? []
    }
    return Set(found).sorted().map { elements[$0] }
  }
}

extension ADALUserIndex<ADALStore.Stored> {
  /// Indexes ADAL items by the accounts that they belong to.
  init(_ items: [ADALStore.Stored], _ aliases: EnvironmentAliases) {
    for item in items {
      guard let user = ADALUser(item.token) else { continue }
      add(item, of: user, in: [.environment(aliases.canonical(item.token.environment(aliases)))])
    }
  }

  /// Returns the items of an account, in its cloud or from its issuer.
  func items(of account: Account, _ aliases: EnvironmentAliases) -> [ADALStore.Stored] {
    elements(of: account, in: .environment(aliases.canonical(account.storageEnvironment)))
  }
}
