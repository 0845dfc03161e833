// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@Suite("Desktop scheme handlers")
struct DesktopSchemeHandlersTests {
  /// GIO reads the session's folders once for the process and then waits for notifications, so everything
  /// is in place before the first call.
  @Test("GIO finds the app that opens a scheme in the desktop's database and the user's choices")
  func handlers() async throws {
    _ = try PrivateSession.control
    let home = try #require(ProcessInfo.processInfo.environment["XDG_DATA_HOME"])
    let applications = "\(home)/applications"
    try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: true)
    func install(_ app: String, exec: String, _ schemes: String...) throws {
      let types = schemes.map { "x-scheme-handler/\($0);" }.joined()
      let text = "[Desktop Entry]\nType=Application\nName=\(app)\nExec=\(exec) %u\nMimeType=\(types)\n"
      try Data(text.utf8).write(to: URL(filePath: "\(applications)/\(app).desktop"))
    }
    try install(
      "com.contoso.mail", exec: "true", "msauth.com.contoso.mail", "contoso.shared", "contoso.chosen")
    try install("com.contoso.other", exec: "true", "contoso.shared", "contoso.chosen")
    try install("com.contoso.Upper", exec: "true", "msauth.com.contoso.Upper")
    try install("com.contoso.gone", exec: "no-such-program", "msauth.com.contoso.gone")
    try await PrivateSession.run("update-desktop-database", [applications])
    try install("com.contoso.late", exec: "true", "msauth.com.contoso.late")
    let choices = "[Default Applications]\nx-scheme-handler/contoso.chosen=com.contoso.other.desktop\n"
    try Data(choices.utf8).write(to: URL(filePath: "\(applications)/mimeapps.list"))

    let handlers = try #require(InstalledApps().schemeHandlers())
    #expect(handlers.apps(for: "msauth.com.contoso.mail") == ["com.contoso.mail"])
    #expect(Set(handlers.apps(for: "contoso.shared")) == ["com.contoso.mail", "com.contoso.other"])
    #expect(handlers.apps(for: "contoso.chosen") == ["com.contoso.other", "com.contoso.mail"])
    #expect(handlers.apps(for: "msauth.com.contoso.upper") == [], "the line is in upper case")
    #expect(handlers.apps(for: "msauth.com.contoso.gone") == [], "its program is missing")
    #expect(handlers.apps(for: "msauth.com.contoso.late") == [], "it is not in the database")
    for scheme in ["", "a b", "msauth.nobody", String(repeating: "s", count: 10_000), "ü", "\0"] {
      #expect(handlers.apps(for: scheme) == [])
    }

    let mail = try AppEntitlements(app: "com.contoso.mail")
    try open(mail, RedirectURI(defaultFor: mail.app))
    try open(mail, RedirectURI("http://127.0.0.1/mail", for: mail.app))
    let other = try RedirectURI("contoso.chosen://auth", for: mail.app)
    let error = #expect(throws: SecretStoreError(.invalidRedirectURI, "")) { try open(mail, other) }
    #expect((error?.underlying as? RedirectProblem)?.rule == .schemeOpensAnotherApp)
    #expect(error?.detail.contains("com.contoso.other") == true)
    let late = try AppEntitlements(app: "com.contoso.late")
    let missing = #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
      try open(late, RedirectURI(defaultFor: late.app))
    }
    #expect((missing?.underlying as? RedirectProblem)?.rule == .schemeNotRegistered)
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try open(late, RedirectURI(defaultFor: mail.app))
    }
  }

  /// "If the redirect URI is invalid, the initializer will return nil", say the pages on MSAL, and "MSAL will verify if
  /// your redirect URI registers correctly, and return an error if it's not".
  private func open(_ app: AppEntitlements, _ redirectURI: RedirectURI) throws {
    var options = SecretStoreOptions()
    options.checksIdentity = false
    _ = try SecretStore(options: options).tokenCache(
      for: app, clientID: "c", redirectURI: redirectURI,
      authority: Authority("https://login.microsoftonline.com/common"))
  }
}
