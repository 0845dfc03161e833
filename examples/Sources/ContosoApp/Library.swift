// SPDX-License-Identifier: MIT

import ArgumentParser

/// The identity library that a release of the app is built with.
enum Library: String, ExpressibleByArgument, CaseIterable {
  case adal26 = "adal-2.6"
  case adal27 = "adal-2.7"
  case msal
}
