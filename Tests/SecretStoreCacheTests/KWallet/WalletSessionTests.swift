// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KWallet {
  @Suite("Sessions with KWallet", .serialized)
  struct WalletSessionTests {
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    @Test("Each of 150 sessions reads and writes, although the two ends of some derive different keys")
    func manySessions() async throws {
      try await ServiceSupport.write("0", to: SecretStore().unrestrictedBackend(for: group))
      for number in 1...150 {
        let backend = SecretStore().unrestrictedBackend(for: group)
        #expect(try await ServiceSupport.read(backend) == "\(number - 1)")
        try await ServiceSupport.write("\(number)", to: backend)
      }
    }

    @Test("Without the plugin that encrypts sessions every call throws insecureTransport")
    func noEncryption() async throws {
      try await PrivateSession.run(
        "QCA_NO_PLUGINS=1", [try PrivateSession.control, "restart"])
      let backend = SecretStore().unrestrictedBackend(for: group)
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      try await PrivateSession.keyring("restart")
      #expect([reading, writing] == [.insecureTransport, .insecureTransport])
      #expect(try await ServiceSupport.read(backend) == nil)
    }

    @Test("Secrets with one label, or with a slash in the label, are separate entries of the wallet")
    func labels() async throws {
      let secrets = try SecretStore().secrets(
        for: try AppEntitlements(app: "com.example.labels", groups: [group.name]))
      let labels = ["Mail", "Mail", "Mail/Password", "Mail/", "/", "Mail__0_"]
      for (number, label) in labels.enumerated() {
        try await secrets.set(Secret("secret \(number)"), service: "service \(number)", label: label)
      }
      try await PrivateSession.keyring("restart")
      for number in labels.indices {
        #expect(try await secrets.get(service: "service \(number)") == Secret("secret \(number)"))
      }
      #expect(try await secrets.list(from: group.name).count == labels.count)
    }
  }
}
