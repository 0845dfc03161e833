// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache

/// Reads a file that was named on the command line.
enum InputFile {
  /// The file's bytes; `-` is standard input.
  ///
  /// - Throws: `corruptItem` when it can't be read.
  static func read(_ path: String) throws(SecretStoreError) -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(filePath: path == "-" ? "/dev/stdin" : path)))
    } catch {
      throw SecretStoreError(.corruptItem, "The file \(path) can't be read.")
    }
  }
}
