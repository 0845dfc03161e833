// SPDX-License-Identifier: MIT

import CLibFuzzer
import Synchronization
import TokenCacheModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Hands libFuzzer one of the decoders, which `--decoder=NAME` selects; `--decoders` prints their names.
///
/// All other arguments are libFuzzer's, which leaves those with two dashes alone.
@main
enum Fuzz {
  /// The decoder under test.
  private static let decoder = Decoder.selected(by: CommandLine.arguments)
  /// What makes new JSON of old.
  private static let mutator = Mutex(JSONMutator())

  /// Runs libFuzzer, which ends the process at the first finding or when its time is over.
  static func main() {
    guard decoder != nil else {
      for decoder in Decoder.allCases { print(decoder.rawValue) }
      exit(CommandLine.arguments.contains("--decoders") ? 0 : 2)
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      let input = unsafe UnsafeBufferPointer(start: start, count: count)
      Fuzz.decoder?.check(unsafe Array(input))
      return 0
    }
    exit(status)
  }

  /// Makes a new input of one in place, and returns its size: half of the JSON changes as JSON, all else by bytes.
  fileprivate static func mutate(
    _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
  ) -> Int {
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    if seed.isMultiple(of: 2), let document = try? JSONValue(parsing: unsafe Array(input)) {
      let output = mutator.withLock { $0.mutated(document, seed: seed) }.serialized()
      if output.count <= limit {
        return unsafe UnsafeMutableBufferPointer(start: start, count: limit).update(fromContentsOf: output)
      }
    }
    return unsafe LLVMFuzzerMutate(start, count, limit)
  }
}

/// Called by libFuzzer for each new input.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
  unsafe Fuzz.mutate(start, count, limit, seed)
}
