// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The object on the session bus that takes the URLs for the sign-in of an app.
///
/// It has a connection of its own, with whose end the bus gives the name up, whatever ends the wait.
struct RedirectInbox: Sendable {
  private let bus: SessionBus
  private let name: String
  private let object: ExportedObject
  private let loss: ConnectionCloseObserver

  private static let interface = "org.freedesktop.Application"
  private static let limit = Duration.seconds(10)

  /// The maximum number of URLs that wait to be looked at.
  static let maximumURLs = 64

  /// The part of the interface that opens URLs (Desktop Entry Specification, "D-Bus Activation").
  private static let description = Result {
    try ExportedObject.Interface(
      interface,
      in: """
        <node><interface name="\(interface)"><method name="Open">
          <arg type="as" name="uris" direction="in"/><arg type="a{sv}" name="platform_data" direction="in"/>
        </method></interface></node>
        """)
  }

  /// Takes an app's URLs, as long as this value lives.
  ///
  /// - Parameters:
  ///   - receive: Receives each URL, which any program can have sent; none is longer than
  ///     ``RedirectHandler/maximumBytes``.
  ///   - onLoss: Is called when the session bus is gone.
  init(
    of app: AppIdentifier, _ receive: @escaping @Sendable (String) -> Void,
    onLoss: @escaping @Sendable () -> Void
  ) async throws {
    let (name, path) = try Self.address(of: app)
    (bus, object, loss) = try await Self.namingTheBus {
      let bus = try await SessionBus.connectAlone()
      let object = try await bus.export(path, Self.description.get()) { call in
        let isShort = call.read { $0.size <= Self.maximumURLs * RedirectHandler.maximumBytes }
        let urls = isShort ? call.read { $0.texts(at: 0) } ?? [] : []
        for url in urls where url.utf8.count <= RedirectHandler.maximumBytes { receive(url) }
        try? call.reply([])
      }
      let loss = await bus.observeLoss(onLoss)
      guard try await bus.requestName(name) else {
        throw SecretStoreError(.interactiveSessionAlreadyRunning, "Another sign-in of \(app) is under way.")
      }
      return (bus, object, loss)
    }
    self.name = name
  }

  /// Gives the name up before this returns, also when the task is cancelled: the next sign-in needs it.
  func close() async {
    await Task { [bus, name] in
      try? await Deadline.run(within: Self.limit) { try await bus.releaseName(name) }
    }.value
  }

  /// Sends a URL to the process that takes an app's URLs.
  static func send(_ url: String, to app: AppIdentifier) async throws {
    guard url.utf8.count <= RedirectHandler.maximumBytes else { throw RedirectProblem(.tooLong).error }
    let (name, path) = try address(of: app)
    try await namingTheBus {
      let bus = try await SessionBus.connect()
      guard let owner = try await bus.owner(of: name) else { throw RedirectProblem(.noSignIn).error }
      let method = BusMethod(service: owner, path: path, interface: interface, name: "Open")
      let message = try BusMessage(calling: method) {
        [try .list(of: "s", [.string(url)]), try .properties([])]
      }
      do {
        _ = try await bus.calls.call(.cancellable, message).read(as: "()") { _ in }
      } catch let error as BusError where [.notDelivered, .noSuchObject].contains(error.meaning) {
        // The sign-in has ended since.
        throw RedirectProblem(.noSignIn).error
      }
    }
  }

  /// Returns the name, and the path that the specification derives from it.
  ///
  /// - Throws: `invalidArgument` when the app's identifier can't be a bus name.
  private static func address(of app: AppIdentifier) throws(SecretStoreError) -> (String, ObjectPath) {
    let name = "\(app).Redirects"
    let elements = name.split(separator: ".", omittingEmptySubsequences: false)
    guard elements.allSatisfy({ $0.first?.isNumber == false }),
      let path = ObjectPath("/" + elements.joined(separator: "/").replacing("-", with: "_"))
    else { throw SecretStoreError(.invalidArgument, "\(app) can't be a name on the session bus.") }
    return (name, path)
  }

  private static let timedOut = SecretStoreError(
    .timedOut, "The session bus, or the program that waits for the URL, does not reply.")

  /// Runs a step within the time limit, with errors that speak of the session bus, as there is no Secret Service here.
  private static func namingTheBus<Outcome>(_ step: () async throws -> Outcome) async throws -> Outcome {
    do {
      return try await Deadline.run(within: limit, step)
    } catch let error as BusError {
      switch error.meaning {
      case .timedOut: throw timedOut
      case .unavailable:
        throw SecretStoreError(.serviceUnavailable, "There is no session bus.", underlying: error)
      default:
        throw SecretStoreError(.serviceUnavailable, "The session bus refused the call.", underlying: error)
      }
    } catch SecretStoreError.Code.timedOut {
      throw timedOut
    }
  }
}
