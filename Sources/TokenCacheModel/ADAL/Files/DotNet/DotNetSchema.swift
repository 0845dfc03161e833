// SPDX-License-Identifier: MIT

/// The schemas of ADAL.NET's cache that are read.
enum DotNetSchema: Int32 {
  /// ADAL.NET 2: the value is a result, with its refresh token.
  case two = 2
  /// ADAL.NET 3 to 5, and MSAL.NET: the value is a result and what belongs to it.
  case three = 3
}
