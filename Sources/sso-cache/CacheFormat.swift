// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The formats of whole caches.
enum CacheFormat: ExpressibleByArgument, CaseIterable {
  /// The JSON that the MSALs for Python, .NET, Java, Go and Node share.
  case msal
  /// One of ADAL's.
  case adal(ADALFileFormat)

  static let allCases = [msal] + ADALFileFormat.allCases.map(CacheFormat.adal)

  /// The formats that are written, too.
  static let written = [msal] + ADALFileFormat.allCases.filter(\.isWritten).map(CacheFormat.adal)

  var name: String {
    switch self {
    case .msal: "msal"
    case .adal(let format): format.rawValue
    }
  }

  init?(argument: String) {
    guard let format = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = format
  }

  static var allValueStrings: [String] { allCases.map(\.name) }
}
