// SPDX-License-Identifier: MIT

/// The forms in which ADAL and its users keep a whole cache in one file.
public enum ADALFileFormat: String, Sendable, Hashable, CaseIterable {
  /// ADAL for iOS and macOS: one archived keychain item, or the serialised cache of macOS.
  ///
  /// Property lists of keyed archives, binary or XML.
  case objc = "adal-objc"
  /// ADAL.NET: the stream of schema 2 (ADAL 2) and 3 (ADAL 3 to 5, MSAL.NET).
  case dotnet = "adal-dotnet"
  /// ADAL for Python and for Node: a JSON array of token responses.
  case python = "adal-python"
  /// Azure CLI before 2.30, `accessTokens.json`: as ADAL for Python, with service principals among the tokens.
  case azureCLI = "azure-cli"

  /// Whether this package writes the form, too: ADAL for Python's, and the serialised cache of macOS.
  public var isWritten: Bool { self == .objc || self == .python }
}
