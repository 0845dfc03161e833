// SPDX-License-Identifier: MIT

import CLibFuzzer
import Synchronization
import TokenCacheModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The fuzzer.
///
/// `--decoder=NAME` selects the decoder that libFuzzer tests; `--decoders` prints the names.
///
/// All other arguments are libFuzzer's, which ignores arguments with two dashes.
@main
enum Fuzz {
  /// The decoder under test.
  private static let decoder = Decoder.selected(by: CommandLine.arguments)
  /// The generator of modified JSON.
  private static let mutator = Mutex(JSONMutator())

  /// Runs libFuzzer, which ends the process at the first finding or at its time limit.
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

  /// Modifies an input in place and returns its size.
  ///
  /// JSON is modified as JSON in half of the cases, otherwise by bytes.
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

/// Modifies an input; libFuzzer calls it for each new input.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
  unsafe Fuzz.mutate(start, count, limit, seed)
}
