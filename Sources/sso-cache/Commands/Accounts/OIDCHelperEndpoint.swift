// SPDX-License-Identifier: MIT

import FoundationEssentials
import OIDCHelperProtocol
import SecretStoreCache
import Subprocess
import Synchronization
import SystemPackage

/// The token endpoint of a request's authority, which the helper program `sso-cache-oidc` calls.
///
/// The system's networking consists of about forty libraries. To load them takes longer than everything the tool does
/// without an authority. The request and the response go through pipes. `ProgramOutput` of the library can't start the
/// helper: GIO closes standard input after the request, and the helper takes that for the end of this process.
final class OIDCHelperEndpoint: TokenEndpoint {
  private static let name = "sso-cache-oidc"
  /// The time that the helper has to end after its own timeout for the network.
  private static let grace = Duration.seconds(5)
  /// The time for all requests of the command together, from the first on.
  private static let exchangeLimit = Duration.seconds(30)
  /// The part of it that is kept for a token request.
  private static let reserve = Duration.seconds(10)
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    let path = try Self.path()
    let now = ContinuousClock.now
    let start = start.withLock { start in
      start = start ?? now
      return start ?? now
    }
    let rest = Self.exchangeLimit - (now - start)
    guard rest >= Self.reserve else {
      throw SecretStoreError(.networkError, "The authority sent no usable response within 30 seconds.")
    }
    let message = HelperRequest(request, within: rest, reserving: Self.reserve).serialized()
    switch try await Self.response(of: path, to: message, within: rest + Self.grace) {
    case .response(let response): return response
    case .unusable(let detail): throw SecretStoreError(.networkError, detail)
    case .failure(let failure): throw failure
    }
  }

  /// Starts the helper and returns its response.
  ///
  /// The helper ends when this process ends.
  private static func response(
    of path: String, to message: [UInt8], within limit: Duration
  ) async throws -> HelperResponse {
    do {
      return try await withThrowingTaskGroup(of: HelperResponse?.self) { group in
        group.addTask { try await run(path, message) }
        group.addTask {
          try await sleep(running: limit)
          return nil
        }
        defer { group.cancelAll() }
        guard let response = try await group.next().flatMap(\.self) else {
          throw SecretStoreError(.networkError, "\(name), which calls the authority, did not end in time.")
        }
        return response
      }
    } catch let error as SecretStoreError {
      throw error
    } catch {
      let reason =
        "\(name), which calls the authority, sent no response. If it had sent the refresh token, that may be spent."
      throw BrokenInstallation(
        detail: reason, remedy: "Try again; if it fails again, run \(path) to see whether it starts."
      ).storeError
    }
  }

  private static func run(_ path: String, _ message: [UInt8]) async throws -> HelperResponse {
    let outcome = try await Subprocess.run(
      .path(FilePath(path)), input: .inputWriter, output: .sequence, error: .discarded
    ) { execution in
      _ = try await execution.standardInputWriter.write(message)
      var response: [UInt8] = []
      for try await part in execution.standardOutput { unsafe part.withUnsafeBytes { unsafe response += $0 } }
      return response
    }
    return try HelperResponse(parsing: outcome.closureResult)
  }

  /// Returns the path of the helper, which is built beside the tool or installed with it.
  private static func path() throws -> String {
    let tool = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let directory = URL(filePath: tool).deletingLastPathComponent()
    var directories = [directory]
    // Only a tool in a bin directory is installed. Directories near an unpacked tool are unrelated to it.
    if directory.lastPathComponent == "bin" {
      directories.append(directory.deletingLastPathComponent().appending(path: "libexec"))
    }
    let path = directories.map { $0.appending(path: name).path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path else {
      throw BrokenInstallation(
        detail: "\(name), which calls the authority, is not installed with sso-cache.",
        remedy: "Install sso-cache with Scripts/install, or its package again."
      ).storeError
    }
    return path
  }
}
