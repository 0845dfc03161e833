// SPDX-License-Identifier: MIT

/// What an entry of a file comes to.
enum ADALEntry {
  /// Items of ADAL's.
  case tokens([ADALToken])
  /// Nothing, for a reason that is no fault.
  case leftOut(ADALLeftOut.Reason)
}
