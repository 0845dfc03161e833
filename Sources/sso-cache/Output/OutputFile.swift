// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import HeadlessSession
import SecretStoreCache
import StrictJSON

/// The option for an output file for tokens.
///
/// Only the user can read the file, and it is written completely or not at all.
struct OutputFile: ParsableArguments {
  @Option(
    name: .customLong("output"),
    help: ArgumentHelp(
      "Make this file, for your eyes only, instead of printing; - prints.", valueName: "file"),
    completion: .file())
  var path: String?

  /// The file; `nil` for standard output, for which `-` stands, as for standard input elsewhere.
  private var file: String? { path == "-" ? nil : path }

  func validate() throws {
    if path?.isEmpty == true { throw ValidationError("Name the file of --output.") }
  }

  /// Throws a usage error where `--json` is given for what is no JSON, and no file is named for it.
  func requireFile(for what: String) throws {
    if file == nil { throw ValidationError("--json needs --output: \(what) is no JSON.") }
  }

  /// Writes to the file, or to standard output without one.
  ///
  /// - Parameter isJSON: Whether the name of the file is printed as a JSON document.
  /// - Throws: The same errors as ``write(_:to:)``.
  func write(_ bytes: [UInt8], isJSON: Bool) throws(SecretStoreError) {
    guard let file else { return Printer.write(bytes) }
    try Self.write(bytes, to: file)
    if isJSON { Printer.json(.object(["output": .string(file)])) }
  }

  /// Creates a file, writes it and flushes it to the disk.
  ///
  /// - Throws: `invalidArgument` when the file exists, `storageFailed` when it can't be written.
  private static func write(_ bytes: [UInt8], to path: String) throws(SecretStoreError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      if errno == EEXIST {
        throw SecretStoreError(.invalidArgument, "\(path) is there already; nothing was written.")
      }
      throw SecretStoreError(
        .storageFailed, "\(path) can't be made: \(HeadlessFailure.text(ofError: errno)).",
        underlying: LostOutput(remedy: "Name a new file in a folder that is there and that you may write to.")
      )
    }
    defer { close(file) }
    var error = Descriptor.write(bytes, to: file)
    if error == 0, fsync(file) != 0 { error = errno }
    guard error == 0 else {
      _ = unsafe unlink(path)
      throw SecretStoreError(
        .storageFailed, "\(path) can't be written: \(HeadlessFailure.text(ofError: error)).",
        underlying: LostOutput())
    }
  }
}
