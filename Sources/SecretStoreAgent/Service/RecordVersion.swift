// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

/// The version of a stored record, by which the agent sees that it was changed.
///
/// GLib makes the digest: ``Digest`` in Swift takes ten times as long for a document of a mebibyte.
@safe struct RecordVersion {
  /// The version as text; empty when there is no record.
  let text: String

  init(_ document: CacheDocument?) {
    guard let document else {
      text = ""
      return
    }
    let bytes = document.serialized()
    let digest = unsafe g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, gsize(bytes.count))
    defer { unsafe g_free(digest) }
    text = unsafe digest.map { unsafe String(cString: $0) } ?? ""
  }
}
