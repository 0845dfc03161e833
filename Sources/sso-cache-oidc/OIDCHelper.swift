// SPDX-License-Identifier: MIT

import CCurl
import Foundation
import OIDCHelperProtocol
import TokenCacheModel

/// The helper program that calls an authority over the network.
///
/// `sso-cache` starts it for `--authority` when a token must be refreshed. The tool itself does not load the system's
/// networking. The helper reads one request as a line from standard input and writes one response to standard output.
/// Its arguments, environment and files contain no secret.
@main
enum OIDCHelper {
  static func main() async throws {
    // A terminal's Ctrl-C and a time limit's signal reach this process beside the tool, which needs the response.
    for number in EndingSignal.all + [SIGPIPE] { signal(number, SIG_IGN) }
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard isatty(STDIN_FILENO) == 0, let line = readLine(),
      let request = try? HelperRequest(parsing: Array(line.utf8))
    else {
      FileHandle.standardError.write(Data("sso-cache-oidc: sso-cache starts this program.\n".utf8))
      exit(EX_USAGE)
    }
    // The tool keeps standard input open while it waits for the response. When the tool ends, this process exits.
    Thread.detachNewThread {
      _ = try? FileHandle.standardInput.readToEnd()
      _exit(EXIT_FAILURE)
    }
    try FileHandle.standardOutput.write(contentsOf: Data(await response(to: request).serialized()))
    // A session that still receives must not delay the exit.
    _exit(EXIT_SUCCESS)
  }

  private static func response(to request: HelperRequest) async -> HelperResponse {
    do {
      return .response(try await DiscoveredEndpoint().send(request))
    } catch let authority as UnusableAuthority {
      return .unusable(authority.detail)
    } catch let failure as HTTPExchange.Failure {
      return .failure(HelperFailure(domain: "libcurl", code: failure.code))
    } catch {
      return .failure(HelperFailure(domain: "\(type(of: error))", code: 0))
    }
  }
}
