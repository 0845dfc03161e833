// SPDX-License-Identifier: MIT

import ArgumentParser

/// The formats of whole caches.
enum CacheFormat: String, ExpressibleByArgument, CaseIterable {
  /// The JSON that the MSALs for Python, .NET, Java, Go and Node share.
  case msal
}
