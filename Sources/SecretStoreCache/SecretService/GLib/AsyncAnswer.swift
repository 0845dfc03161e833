// SPDX-License-Identifier: MIT

import CLibSecret

/// What GLib hands to the callback of an asynchronous call, lent until the call is finished.
@safe struct AsyncAnswer {
  let result: OpaquePointer?
}
