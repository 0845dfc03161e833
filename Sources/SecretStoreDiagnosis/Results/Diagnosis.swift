// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The problems that keep an app from signing in silently, and how to fix them.
///
/// ```swift
/// let diagnosis = await SecretStore().diagnose()
/// for check in diagnosis.checks where check.status != .ok {
///   print(check.detail, check.remedy)
/// }
/// ```
///
/// A diagnosis contains no token, account name or secret. It can be shown to the user and sent to support. It does
/// contain paths below the home directory.
public struct Diagnosis: Sendable, Hashable {
  /// The checks in the order in which they were made.
  ///
  /// An earlier problem is the likelier cause.
  public let checks: [Check]

  /// Creates a diagnosis from checks.
  public init(checks: [Check]) { self.checks = checks }

  /// The most severe status of all checks.
  public var status: Status { checks.map(\.status).max() ?? .ok }

  /// The error code that an app gets at present: the code of the first failed check; `nil` when there is none.
  public var code: SecretStoreError.Code? { checks.lazy.compactMap(\.code).first }

  /// The repairs that lose no data, without repetitions; see ``SecretStore/perform(_:progress:)``.
  public var repairs: [Repair] {
    var seen: Set<Repair> = []
    return checks.compactMap(\.repair).filter { seen.insert($0).inserted }
  }

  /// A sentence that counts the errors, the warnings and the checks that were not made, such as
  /// "1 error, 2 skipped."; "All is well." when there is none of them.
  public var summary: String {
    let errors = checks.count { $0.status == .error }
    let warnings = checks.count { $0.status == .warning && $0.wasPerformed }
    let skipped = checks.count { !$0.wasPerformed }
    let parts = [
      errors > 0 ? "\(errors) \(errors == 1 ? "error" : "errors")" : nil,
      warnings > 0 ? "\(warnings) \(warnings == 1 ? "warning" : "warnings")" : nil,
      skipped > 0 ? "\(skipped) skipped" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? "All is well." : parts.joined(separator: ", ") + "."
  }
}

extension Diagnosis {
  /// The severity of a check's result.
  public enum Status: String, Sendable, Hashable, Comparable, CaseIterable {
    /// No problem was found.
    case ok
    /// Apps work, but something is wrong or was not checked.
    case warning
    /// Silent calls fail, or will fail after the next login.
    case error

    /// Returns whether the first status is less severe than the second: `ok`, then `warning`, then `error`.
    public static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }
}
