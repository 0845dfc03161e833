// SPDX-License-Identifier: MIT

@testable import KeychainGroupModel

extension Decoder {
  private static let app = expectNoError("the id is valid") { try AppIdentifier("com.contoso.mail") }

  /// Checks a redirect URI.
  ///
  /// It must stay the same when it is parsed again, and its response must be recognized.
  func checkRedirectURI(_ bytes: [UInt8]) {
    let uri: RedirectURI
    do throws(SecretStoreError) {
      uri = try RedirectURI(String(decoding: bytes, as: UTF8.self), for: Self.app)
    } catch {
      expect(error.code == .invalidRedirectURI, "a refusal has its code")
      return expect(error.underlying is RedirectProblem, "a refusal names its rule")
    }
    let again = expectNoError("it is valid") { try RedirectURI(uri.text, for: Self.app) }
    expect(again == uri, "what is read again is the same")
    expect(uri.isBrokerCapable == (uri.brokerProblem == nil), "a broker takes it or not")
    if let text = uri.certificateURI {
      let second = expectNoError("it is valid") { try RedirectURI(text, for: Self.app) }
      expect(second.form == .certificate, "the second URI is for certificates")
    }
    InlineExecutor.run {
      let redirects = RedirectHandler()
      let state = await redirects.issueState(for: uri)
      let response = try await redirects.handleRedirect("\(uri)?code=c&state=\(state)", for: Self.app)
      expect(response.code == "c" && response.redirectURI == uri, "the response is the provider's")
    }
  }

  /// Checks an opened URL.
  ///
  /// `STATE` is replaced by an issued state.
  func checkOpenedURL(_ bytes: [UInt8]) {
    InlineExecutor.run {
      let redirects = RedirectHandler()
      let state = await redirects.issueState(for: try RedirectURI(defaultFor: Self.app))
      let parts = String(decoding: bytes, as: UTF8.self)
        .split(separator: "STATE", omittingEmptySubsequences: false)
      let url = parts.joined(separator: state)
      do throws(SecretStoreError) {
        let response = try await redirects.handleRedirect(url, for: Self.app)
        expect(!response.code.isEmpty && response["state"] == state, "a response has a code, and the state")
        expectNoSecret(of: bytes, in: response)
      } catch {
        expectNoSecret(of: bytes, in: error)
        expect(!error.detail.contains(state), "no error shows the state")
        return
      }
      let again = try? await redirects.handleRedirect(url, for: Self.app)
      expect(again == nil, "a response is good once")
    }
  }

  /// Checks the facts of a process, separated by bars.
  ///
  /// The derived identity must be accepted when it is stated.
  func checkProcessFacts(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self)
      .split(separator: "|", omittingEmptySubsequences: false)
    func part(_ index: Int) -> String { index < parts.count ? String(parts[index]) : "" }
    var facts = ProcessFacts(processID: 4711)
    facts.controlGroups = part(0)
    facts.securityLabel = part(1)
    facts.executable = part(2)
    facts.snapMetadata = part(3)
    facts.environment = ["SYSTEMD_EXEC_PID": part(4), "SNAP_NAME": part(5)]
    if parts.count > 6 { facts.flatpak = .app(part(6)) }
    guard let identity = try? AppIdentity(stated: nil, facts: facts) else { return }
    let stated = expectNoError("what is derived is allowed") {
      try AppIdentity(stated: identity.app, facts: facts)
    }
    expect(stated.app == identity.app, "an app is who it says it is")
  }
}
