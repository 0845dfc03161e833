// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// A whole cache of ADAL's in one file: what was read of it, or is to be written.
///
/// ```swift
/// let file = try ADALFile(parsing: bytes, as: .python)
/// let export = try ADALFile(tokens: file.tokens).serialized(as: .objc)
/// ```
///
/// Whatever the form, the tokens are ADAL's own items: an access token with its resource; a refresh token that serves
/// several resources in an item of its own, one for each authority, client and user, and another one for its family
/// where the server named one; both in one item where the refresh token serves one resource, as AD FS gives it. Of several copies
/// of an item the youngest counts.
///
/// Archives are read as property lists: the classes that they name are compared with a list and never made. Members
/// that are unknown here survive in the items of Python's, Node's and Apple's files and are written back to the same
/// form; a response's stay with its access token, those of a user's information are left out, and of ADAL.NET's stream
/// nothing is kept that an item has no place for. Times are kept in whole seconds. The description shows none of it.
public struct ADALFile: Sendable {
  /// The largest file that is read, in bytes: 64 MiB.
  public static let maximumBytes = 64 << 20

  /// The items.
  public let tokens: [ADALToken]

  /// What the file holds beside them, in the order of the file.
  public let leftOut: [ADALLeftOut]

  /// Makes a file to be written.
  public init(tokens: [ADALToken]) {
    self.tokens = ADALToken.merged(tokens)
    leftOut = []
  }

  /// Reads a file.
  ///
  /// Service principals, brokers' tokens and the places of removed tokens are left out, and no fault.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - format: Its form; nothing is guessed.
  ///   - skippingInvalid: Whether an entry that can't be read is left out. The file's frame must be right all the same:
  ///     the JSON, the archive, the lengths and counts of the stream.
  ///   - timeZone: The zone of times that name none, which are ADAL for Python's; the process's own when `nil`.
  /// - Throws: `corruptItem` when the file, or an entry of it, can't be read or is larger than ``maximumBytes``, and
  ///   then nothing of it is given out.
  public init(
    parsing bytes: [UInt8], as format: ADALFileFormat, skippingInvalid: Bool = false,
    timeZone: TimeZone? = nil
  ) throws(SecretStoreError) {
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.corruptItem, "The file is larger than \(Self.maximumBytes) bytes.")
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
  }

  /// Writes the items in a form.
  ///
  /// ADAL for Python finds what is written by `acquire_token`: the refresh token stands in each response that it
  /// serves. It can't tell apart a token for one app or a user's from the one that a service has, and the cache of macOS
  /// is for users alone; such items are left out and counted.
  ///
  /// - Parameters:
  ///   - format: ``ADALFileFormat/python`` or ``ADALFileFormat/objc``.
  ///   - timeZone: The zone in which ADAL for Python will read times; the process's own when `nil`.
  /// - Throws: `invalidArgument` for a form that is only read.
  public func serialized(
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
  /// Names the type and nothing of what it holds.
  public var description: String { "ADALFile(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
