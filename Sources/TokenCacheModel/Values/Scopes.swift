// SPDX-License-Identifier: MIT

/// A set of OAuth scopes: order-free and case-insensitive, as the field compares them.
///
/// The spelling that was given first is kept and is what `target` shows.
///
/// ```swift
/// let asked: Scopes = ["Mail.Read", "openid"]
/// asked.isSubset(of: Scopes(target: "openid mail.read user.read"))  // true
/// ```
public struct Scopes: Sendable, ExpressibleByArrayLiteral {
  /// The spelling of each scope, by its lower-case form.
  private var spelling: [String: String] = [:]

  /// Makes a set; blank strings are left out, and a string with spaces counts as several scopes.
  public init(_ scopes: some Sequence<String>) {
    for text in scopes {
      // By scalars: a combining mark behind a space is no part of the space.
      for part in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
        let scope = String(part)
        let key = scope.lowercased()
        if spelling[key] == nil { spelling[key] = scope }
      }
    }
  }

  /// Makes a set of a literal's elements.
  public init(arrayLiteral elements: String...) { self.init(elements) }

  /// Reads a space-separated list, the form of `scope` (RFC 6749 section 3.3) and of a stored `target`.
  public init(target: String) { self.init(CollectionOfOne(target)) }

  /// Makes the scope that stands for all that was consented to of a resource: `resource/.default`.
  ///
  /// It is also what a resource of Azure AD's version 1 endpoint becomes. A resource that ends in a slash keeps it, so
  /// that two stand in the scope: the resource is what comes before the last one.
  public init(resource: String) { self.init(CollectionOfOne("\(resource)/.default")) }

  /// Whether each scope is one by RFC 6749 section 3.3: printable ASCII without the quotation mark and the backslash.
  public var isWellFormed: Bool {
    spelling.values.allSatisfy { scope in
      scope.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
    }
  }

  /// The scopes that stand for all of a resource's, `.default`; servers rarely name them in their answers.
  public var defaults: Scopes {
    Scopes(names.filter { $0.lowercased() == ".default" || $0.lowercased().hasSuffix("/.default") })
  }

  /// Whether there is no scope.
  public var isEmpty: Bool { spelling.isEmpty }

  /// The scopes as they were spelled, sorted by their lower-case form.
  public var names: [String] { spelling.keys.sorted().compactMap { spelling[$0] } }

  /// The space-separated list, sorted, as it is stored and sent.
  public var target: String { names.joined(separator: " ") }

  /// Whether every scope of this set is in the other one.
  public func isSubset(of other: Scopes) -> Bool {
    spelling.keys.allSatisfy { other.spelling[$0] != nil }
  }

  /// Whether the two sets share a scope.
  public func intersects(_ other: Scopes) -> Bool {
    spelling.keys.contains { other.spelling[$0] != nil }
  }

  /// The scopes of either set.
  public func union(_ other: Scopes) -> Scopes { Scopes(names + other.names) }

  /// The scopes of this set that are not in the other one.
  public func subtracting(_ other: Scopes) -> Scopes {
    Scopes(names.filter { other.spelling[$0.lowercased()] == nil })
  }

  /// `openid`, `profile`, `email` and `offline_access`: scopes about the sign-in itself (OpenID Connect Core 1.0,
  /// sections 3.1.2.1, 5.4 and 11), which no resource's access token is told apart by.
  public static let openIDConnect: Scopes = ["openid", "profile", "email", "offline_access"]

  /// This set without the scopes about the sign-in itself.
  public var resourceScopes: Scopes { subtracting(.openIDConnect) }
}

extension Scopes: Hashable {
  /// Two sets are equal when they hold the same scopes, in whatever spelling.
  public static func == (left: Scopes, right: Scopes) -> Bool {
    left.spelling.count == right.spelling.count && left.isSubset(of: right)
  }

  /// Hashes the scopes, not their spelling.
  public func hash(into hasher: inout Hasher) { hasher.combine(Set(spelling.keys)) }
}

extension Scopes: CustomStringConvertible {
  /// The space-separated list.
  public var description: String { target }
}
