// SPDX-License-Identifier: MIT

import CProcess
import Glibc
import KeychainGroupModel
import Logging
import SecretStoreAgent
import SecretStoreCache

/// The agent: it serves access groups to apps in sandboxes until nobody has been connected for a minute.
@main
enum Main {
  static func main() async {
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    // Tokens pass through: no other program of the user reads them in this one's memory or its core.
    _ = process_hide()
    let logger = Logger(label: "org.secretstorecache.agent")
    do {
      let agent = try AgentService(store: SecretStore(), policy: GroupPolicy(), logger: logger)
      try await agent.run()
    } catch {
      logger.error("ends", metadata: ["reason": "\(error)"])
      exit(1)
    }
  }
}
