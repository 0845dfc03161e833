// SPDX-License-Identifier: MIT

/// A set of OAuth scopes, compared without regard to order and case.
///
/// The set keeps the first spelling of each scope, which `target` returns.
///
/// ```swift
/// let asked: Scopes = ["Mail.Read", "openid"]
/// asked.isSubset(of: Scopes(target: "openid mail.read user.read"))  // true
/// ```
public struct Scopes: Sendable, ExpressibleByArrayLiteral {
  /// The spelling of each scope, by its lower-case form.
  private var spelling: [String: String] = [:]

  /// Creates a set.
  ///
  /// Blank strings are left out, and a string with spaces counts as several scopes.
  public init(_ scopes: some Sequence<String>) {
    for text in scopes {
      // Split by Unicode scalars, because a combining mark after a space would otherwise form one character with it.
      for part in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
        let scope = String(part)
        let key = scope.lowercased()
        if spelling[key] == nil { spelling[key] = scope }
      }
    }
  }

  /// Creates a set from an array literal.
  public init(arrayLiteral elements: String...) { self.init(elements) }

  /// Reads a space-separated list, the form of `scope` (RFC 6749 section 3.3) and of a stored `target`.
  public init(target: String) { self.init(CollectionOfOne(target)) }

  /// Creates the scope for all consented permissions of a resource, `<resource>/.default`.
  ///
  /// It also replaces the resource of an Azure AD v1 request. A resource that ends in a slash keeps the slash, so that
  /// the scope has two: the resource is the text before the last slash.
  public init(resource: String) { self.init(CollectionOfOne("\(resource)/.default")) }

  /// Whether each scope is well-formed: printable ASCII without quotation mark and backslash (RFC 6749 section 3.3).
  public var isWellFormed: Bool {
    spelling.values.allSatisfy { scope in
      scope.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
    }
  }

  /// The `.default` scopes, which servers rarely repeat in their responses.
  public var defaults: Scopes {
    Scopes(names.filter { $0.lowercased() == ".default" || $0.lowercased().hasSuffix("/.default") })
  }

  /// Whether the set is empty.
  public var isEmpty: Bool { spelling.isEmpty }

  /// The scopes in their first spelling, sorted by their lower-case form.
  public var names: [String] { spelling.keys.sorted().compactMap { spelling[$0] } }

  /// The sorted, space-separated list, as it is stored and sent.
  public var target: String { names.joined(separator: " ") }

  /// Returns whether the other set has every scope of this one.
  public func isSubset(of other: Scopes) -> Bool {
    spelling.keys.allSatisfy { other.spelling[$0] != nil }
  }

  /// Returns whether the two sets have a scope in common.
  public func intersects(_ other: Scopes) -> Bool {
    spelling.keys.contains { other.spelling[$0] != nil }
  }

  /// Returns the scopes of both sets.
  public func union(_ other: Scopes) -> Scopes { Scopes(names + other.names) }

  /// Returns the scopes of this set that the other one lacks.
  public func subtracting(_ other: Scopes) -> Scopes {
    Scopes(names.filter { other.spelling[$0.lowercased()] == nil })
  }

  /// Returns this set without scopes that repeat a token or a long part of one.
  ///
  /// Some servers echo values of the request in their responses.
  func withoutRepeated(_ tokens: [String]) -> Scopes { Scopes(names.filter { !$0.repeats(any: tokens) }) }

  /// The sign-in scopes `openid`, `profile`, `email` and `offline_access`.
  ///
  /// See OpenID Connect Core 1.0 sections 3.1.2.1, 5.4 and 11. They do not distinguish the access tokens of resources.
  public static let openIDConnect: Scopes = ["openid", "profile", "email", "offline_access"]

  /// This set without the sign-in scopes.
  public var resourceScopes: Scopes { subtracting(.openIDConnect) }

  /// The scopes to find a token by.
  ///
  /// OpenID Connect's own scopes count only when nothing else was requested.
  package var searched: Scopes { resourceScopes.isEmpty ? self : resourceScopes }
}

extension Scopes: Hashable {
  /// Returns whether two sets hold the same scopes, in any spelling.
  public static func == (left: Scopes, right: Scopes) -> Bool {
    left.spelling.count == right.spelling.count && left.isSubset(of: right)
  }

  /// Hashes the scopes without regard to their spelling.
  public func hash(into hasher: inout Hasher) { hasher.combine(Set(spelling.keys)) }
}

extension Scopes: CustomStringConvertible {
  /// The space-separated list.
  public var description: String { target }
}
