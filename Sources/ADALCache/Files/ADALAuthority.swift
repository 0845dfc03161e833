// SPDX-License-Identifier: MIT

import UnifiedCache

/// The parts of an ADAL authority's URL; all are empty when the text is not a URL.
struct ADALAuthority {
  /// The last component of the path.
  private let last: String?
  /// Whether the authority is AD FS, which has no tenants.
  let isADFS: Bool

  init(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: true)
    let path = text.contains("://") ? parts.dropFirst(2) : []
    last = path.last.map(String.init)
    isADFS = path.first?.lowercased() == "adfs"
  }

  /// The tenant; `nil` for AD FS and for the names that stand for any tenant, such as `common`.
  var tenant: String? {
    guard let last, !isADFS, !Authority.tenantless.contains(last.lowercased()) else { return nil }
    return last
  }
}
