// SPDX-License-Identifier: MIT

import TokenCacheModel

/// What several searches found, in their order.
struct SearchAnswers: Sendable {
  var found: [FoundItems] = []
  /// The secrets of all that was found, where they came with it: the provider has been asked, and answered.
  var secrets: [ObjectPath: Secret]?
}
