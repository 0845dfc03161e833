// SPDX-License-Identifier: MIT

/// What the URL of an authority of ADAL's says; whatever is no URL says nothing.
struct ADALAuthority {
  /// The last part of the path.
  private let last: String?
  /// Whether it is AD FS, which has no tenants.
  let isADFS: Bool

  init(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: true)
    let path = text.contains("://") ? parts.dropFirst(2) : []
    last = path.last.map(String.init)
    isADFS = path.first?.lowercased() == "adfs"
  }

  /// The tenant, unless it is one of the words that stand for any.
  var tenant: String? {
    guard let last, !isADFS, !Authority.tenantless.contains(last.lowercased()) else { return nil }
    return last
  }
}
