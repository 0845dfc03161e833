// SPDX-License-Identifier: MIT

/// The formats in which ADAL, and tools that use it, store a whole cache in one file.
public enum ADALFileFormat: String, Sendable, Hashable, CaseIterable {
  /// ADAL for iOS and macOS: one archived keychain item, or the serialized cache of macOS.
  ///
  /// The file is a property list with a keyed archive, binary or XML.
  case objc = "adal-objc"
  /// ADAL.NET: the binary stream of schema 2 (ADAL 2) and schema 3 (ADAL 3 to 5, MSAL.NET).
  case dotnet = "adal-dotnet"
  /// ADAL for Python and for Node: a JSON array of token responses.
  case python = "adal-python"
  /// Azure CLI before 2.30, `accessTokens.json`: as ADAL for Python, with service principals among the tokens.
  case azureCLI = "azure-cli"

  /// Whether this package also writes the format: it writes the cache of ADAL for Python and the serialized cache
  /// of macOS.
  public var isWritten: Bool { self == .objc || self == .python }
}
