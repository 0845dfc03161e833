// SPDX-License-Identifier: MIT

import AuthorityExchange
import Foundation
import TokenCacheModel

/// The part of `sso-cache` that reaches an authority over the network, in a program of its own: the tool starts it for
/// `--authority` when a token has to be refreshed, and need not load the system's networking for anything else.
///
/// It reads one request, a line on standard input, and writes one answer to standard output. Nothing secret is in its
/// arguments, its environment or a file.
@main
enum ExchangeProgram {
  static func main() async throws {
    guard isatty(STDIN_FILENO) == 0, let line = readLine(),
      let request = try? ExchangeRequest(parsing: Array(line.utf8))
    else {
      FileHandle.standardError.write(Data("sso-cache-oidc: sso-cache starts this program.\n".utf8))
      exit(64)
    }
    // Standard input stays open for as long as the tool waits for the answer.
    Thread.detachNewThread {
      _ = try? FileHandle.standardInput.readToEnd()
      _exit(1)
    }
    try FileHandle.standardOutput.write(contentsOf: Data(await answer(to: request).serialized()))
  }

  private static func answer(to request: ExchangeRequest) async -> ExchangeAnswer {
    do {
      return .reply(try await DiscoveredEndpoint().send(request))
    } catch let authority as UnusableAuthority {
      return .unusable(authority.detail)
    } catch {
      let error = error as NSError
      return .failure(ExchangeFailure(domain: error.domain, code: error.code))
    }
  }
}
