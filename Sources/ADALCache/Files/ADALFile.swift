// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel
public import UnifiedCache

/// A whole ADAL cache in one file, either read from one or about to be written.
///
/// ```swift
/// let file = try ADALFile(parsing: bytes, as: .python)
/// ```
///
/// In every format the tokens are ADAL's own items:
///
/// - An access token with its resource.
/// - A refresh token for several resources, as an item of its own for each authority, client and user. A second
///   item holds it for the family if the server named one.
/// - An access token together with a refresh token for the same resource, as AD FS issues them.
///
/// Of several copies of an item, the newest counts.
///
/// Archives are read as property lists. Their class names are compared with a list; no class is ever instantiated.
/// Unknown members of items in Python, Node and Apple files are kept and written back to the same format. Unknown
/// members of a token response stay with its access token; those of a user's information are dropped. Of ADAL.NET's
/// stream, only the members that an item has are kept. Times are kept in whole seconds. The description is
/// redacted.
public struct ADALFile: Sendable {
  /// The maximum size of a file that is read: 64 MiB.
  public static let maximumBytes = 64 << 20

  /// The items.
  public let tokens: [ADALToken]

  /// The entries that were left out, in the order of the file.
  package let leftOut: [ADALLeftOut]

  /// The group's records that could not be read and are missing from an exported file.
  public let damaged: [DamagedRecord]

  /// Creates a file to be written.
  public init(tokens: [ADALToken]) { self.init(tokens: tokens, damaged: []) }

  init(tokens: [ADALToken], damaged: [DamagedRecord]) {
    self.tokens = ADALToken.merged(tokens)
    self.damaged = damaged
    leftOut = []
  }

  /// Reads a file.
  ///
  /// Service principals, brokers' tokens and tombstones are left out; they are not errors.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - format: The file's format; it is not detected.
  ///   - skippingInvalid: Whether to leave out entries that can't be read. The enclosing structure must be valid
  ///     all the same: the JSON, the archive, the lengths and counts of the stream.
  ///   - timeZone: The zone of times without a zone, which ADAL for Python writes; `nil` for the process's own.
  /// - Throws: `invalidFile` when the file is larger than ``maximumBytes``, or the file or one of its entries can't
  ///   be read. Nothing of it is returned then.
  public init(
    parsing bytes: [UInt8], as format: ADALFileFormat, skippingInvalid: Bool = false,
    timeZone: TimeZone? = nil
  ) throws(SecretStoreError) {
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.invalidFile, "The file is larger than \(Self.maximumBytes) bytes.")
    }
    var entries = ADALEntryList(skippingInvalid: skippingInvalid)
    switch format {
    case .objc: try AppleCacheReader.read(bytes, into: &entries)
    case .dotnet: try DotNetCacheReader.read(bytes, into: &entries)
    case .python, .azureCLI:
      try PythonCacheReader(zone: LocalZone(timeZone), isAzureCLI: format == .azureCLI).read(
        bytes, into: &entries)
    }
    tokens = ADALToken.merged(entries.tokens)
    leftOut = entries.leftOut
    damaged = []
  }

  /// Serializes the items in a format.
  ///
  /// In the file for ADAL for Python, `acquire_token` finds the tokens: each response contains the refresh token
  /// that serves it. Python's format can't represent a token that is kept for one app or that a service holds on
  /// behalf of a user. The macOS cache holds users' tokens only. Such items are left out and counted.
  ///
  /// - Parameters:
  ///   - format: ``ADALFileFormat/python`` or ``ADALFileFormat/objc``.
  ///   - timeZone: The zone in which ADAL for Python will read the times; `nil` for the process's own.
  /// - Throws: `invalidArgument` for a format that is only read.
  package func serialized(
    as format: ADALFileFormat, timeZone: TimeZone? = nil
  ) throws(SecretStoreError) -> ADALExport {
    switch format {
    case .objc: return AppleCacheWriter.write(tokens)
    case .python: return PythonCacheWriter(zone: LocalZone(timeZone)).write(tokens)
    case .dotnet, .azureCLI:
      throw SecretStoreError(
        .invalidArgument, "Files of the form \(format.rawValue) are read and not written.")
    }
  }
}

extension ADALFile: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "ADALFile(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
