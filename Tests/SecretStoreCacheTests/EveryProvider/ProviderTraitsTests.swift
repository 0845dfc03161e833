// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("What a provider can be trusted with", .serialized)
  struct ProviderTraitsTests {
    @Test("gnome-keyring and KWallet are known by their own interfaces, and any other by having neither")
    func interfaces() async throws {
      let traits = try await SecretServiceClient().traits()
      let provider = try PrivateSession.provider
      #expect(traits.offersGnomeInterface == (provider == "gnome-keyring"))
      #expect(traits.offersWalletInterface == (provider == "kwallet"))
    }
  }
}
