// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import SecretStoreCache

/// A file format of another library's cache.
enum CacheFormat: ExpressibleByArgument, CaseIterable {
  /// The JSON format that MSAL for Python, .NET, Java, Go and Node share.
  case msal
  /// A format of ADAL.
  case adal(ADALFileFormat)

  static let allCases = [msal] + ADALFileFormat.allCases.map(CacheFormat.adal)

  /// The formats that can be exported.
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
