// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The object on the session bus that takes the URLs for the sign-in of an app.
struct RedirectInbox: Sendable {
  private let app: AppIdentifier
  private let object: ExportedObject

  private static let interface = "org.freedesktop.Application"
  private static let limit = Duration.seconds(10)

  /// The part of the interface that opens URLs (Desktop Entry Specification, "D-Bus Activation").
  private static let document = """
    <node><interface name="\(interface)"><method name="Open">
      <arg type="as" name="uris" direction="in"/><arg type="a{sv}" name="platform_data" direction="in"/>
    </method></interface></node>
    """

  /// Takes an app's URLs.
  ///
  /// - Parameter receive: Receives each URL, which any program can have sent; none is longer than
  ///   ``RedirectHandler/maximumBytes``.
  init(of app: AppIdentifier, _ receive: @escaping @Sendable (String) -> Void) async throws {
    self.app = app
    object = try await Self.onBus(of: app) { bus, name, path in
      guard try await bus.requestName(name) else {
        throw SecretStoreError(.invalidArgument, "Another sign-in of \(app) is under way.")
      }
      let interface = try ExportedObject.Interface(Self.interface, in: Self.document)
      return try await bus.export(path, interface) { call in
        let urls = call.read { $0.texts(at: 0) } ?? []
        for url in urls where url.utf8.count <= RedirectHandler.maximumBytes { receive(url) }
        try? call.reply([])
      }
    }
  }

  /// Takes no more URLs, also when the task is cancelled: the next sign-in needs the name.
  func close() async {
    await Task { [app] in
      try? await Self.onBus(of: app) { bus, name, _ in try await bus.releaseName(name) }
    }.value
  }

  /// Sends a URL to the process that takes an app's URLs.
  static func send(_ url: String, to app: AppIdentifier) async throws {
    guard url.utf8.count <= RedirectHandler.maximumBytes else { throw RedirectProblem(.tooLong).error }
    try await onBus(of: app) { bus, name, path in
      guard let owner = try await bus.owner(of: name) else { throw RedirectProblem(.noSignIn).error }
      let method = BusMethod(service: owner, path: path, interface: interface, name: "Open")
      let message = try BusMessage(calling: method) {
        [try .list(of: "s", [.string(url)]), try .properties([])]
      }
      _ = try await bus.calls.call(.cancellable, message).read(as: "()") { _ in }
    }
  }

  /// Runs a step with the bus, the name, and the path that the specification derives from the name.
  ///
  /// - Throws: `invalidArgument` when the app's identifier can't be a bus name.
  private static func onBus<Outcome>(
    of app: AppIdentifier, _ step: (SessionBus, String, ObjectPath) async throws -> Outcome
  ) async throws -> Outcome {
    let name = "\(app).Redirects"
    let elements = name.split(separator: ".", omittingEmptySubsequences: false)
    guard elements.allSatisfy({ $0.first?.isNumber == false }),
      let path = ObjectPath("/" + elements.joined(separator: "/").replacing("-", with: "_"))
    else { throw SecretStoreError(.invalidArgument, "\(app) can't be a name on the session bus.") }
    return try await Deadline.run(within: limit) {
      do {
        return try await step(SessionBus.connect(), name, path)
      } catch let error as BusError {
        throw error.storeError
      }
    }
  }
}
