// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A desktop that opens these schemes with these apps.
struct FixedHandlers: SchemeHandlers {
  let apps: [String: [String]]

  init(_ apps: [String: [String]] = [:]) { self.apps = apps }

  func apps(for scheme: String) -> [String] { apps[scheme] ?? [] }
}
