// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Provider traits", .serialized)
  struct ProviderTraitsTests {
    @Test("gnome-keyring and KWallet are identified by their interfaces, another provider by having neither")
    func interfaces() async throws {
      let traits = try await SecretServiceClient().traits()
      let provider = try PrivateSession.provider
      #expect(traits.offersGnomeInterface == (provider == "gnome-keyring"))
      #expect(traits.offersWalletInterface == (provider == "kwallet"))
    }
  }
}
