// SPDX-License-Identifier: MIT

import AuthorityExchange
import FoundationEssentials
import SecretStoreCache
import Subprocess
import SystemPackage

/// The token endpoint of a request's authority, at which another program asks, `sso-cache-oidc`.
///
/// The system's networking is some forty libraries, whose loading takes longer than all that the tool does without an
/// authority. What is asked and what is answered go through pipes.
struct ExchangeEndpoint: TokenEndpoint {
  private static let name = "sso-cache-oidc"

  func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    let path = try Self.path()
    let question = ExchangeRequest(request).serialized()
    switch try await Self.answer(of: path, to: question) {
    case .reply(let reply): return reply
    case .unusable(let detail): throw SecretStoreError(.networkError, detail)
    case .failure(let failure): throw failure
    }
  }

  /// Starts the program and waits for what it answers; it ends when this process does.
  private static func answer(of path: String, to question: [UInt8]) async throws -> ExchangeAnswer {
    do {
      let outcome = try await Subprocess.run(
        .path(FilePath(path)), input: .inputWriter, output: .sequence, error: .discarded
      ) { execution in
        _ = try await execution.standardInputWriter.write(question)
        var answer: [UInt8] = []
        for try await part in execution.standardOutput { unsafe part.withUnsafeBytes { unsafe answer += $0 } }
        return answer
      }
      return try ExchangeAnswer(parsing: outcome.closureResult)
    } catch {
      let reason = "\(name), which reaches the authority, gave no answer."
      throw BrokenInstallation(detail: reason, remedy: "Run \(path) to see why it doesn't start.").storeError
    }
  }

  /// The program of this very tool's: built beside it, or installed with it.
  private static func path() throws -> String {
    let tool = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let directory = URL(filePath: tool).deletingLastPathComponent()
    var places = [directory]
    // A tool that was unpacked somewhere has nothing to do with what is beside that place.
    if directory.lastPathComponent == "bin" {
      places.append(directory.deletingLastPathComponent().appending(path: "libexec"))
    }
    let path = places.map { $0.appending(path: name).path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path else {
      throw BrokenInstallation(
        detail: "\(name), which reaches the authority, is not installed with sso-cache.",
        remedy: "Install sso-cache with Scripts/install, or its package again."
      ).storeError
    }
    return path
  }
}
