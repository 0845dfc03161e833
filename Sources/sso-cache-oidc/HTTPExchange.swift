// SPDX-License-Identifier: MIT

import CCurl
import Foundation
import StrictJSON
import Synchronization

/// One HTTP exchange, with a limit for the size of the response and without redirects.
///
/// It uses libcurl itself, because FoundationNetworking loses responses: one with a trailer field ends the process, and
/// one with a header that is not ASCII, or with `Content-Encoding: UTF-8`, is reported as a failure. A refresh token in
/// such a response can be had only once.
final class HTTPExchange: Sendable {
  /// A request.
  struct Request: Sendable {
    let url: URL
    var headers: [(name: String, value: String)] = []
    /// The form of a POST request; `nil` for a GET request.
    var form: String?
  }

  /// A response.
  struct Response: Sendable {
    /// The status; 0 where none has arrived.
    var status = 0
    var retryAfter: String?
    /// Whether `Content-Encoding` names `deflate`.
    var isDeflated = false
    var body: [UInt8] = []

    /// Whether the body is a whole JSON object, as `JSONParser.parseLeniently` reads it.
    var isWhole: Bool { (try? JSONParser.parseLeniently(body))?.objectValue != nil }

    /// Whether the body, as far as it has come, has a whole refresh token.
    var hasRefreshToken: Bool {
      let object = (try? JSONParser.parseLeniently(body, acceptsCut: true))?.objectValue
      return object?["refresh_token"]?.textValue?.isEmpty == false
    }

    /// Decompresses the body.
    ///
    /// Many servers send `deflate` without the header of zlib. Such a body looks like any other, so the decoded one
    /// must be whole.
    mutating func decompress() {
      if let content = Inflation.content(of: body, limit: HTTPExchange.maximumBytes) {
        body = content
      } else if isDeflated, !isWhole {
        var decoded = self
        decoded.body = Inflation.content(of: body, as: .raw, limit: HTTPExchange.maximumBytes) ?? []
        if decoded.isWhole { self = decoded }
      }
    }
  }

  /// The reason why no response arrived, by libcurl's number.
  struct Failure: Error {
    static let timedOut = Failure(code: Int(CURLE_OPERATION_TIMEDOUT.rawValue))

    let code: Int
  }

  /// The maximum size of a response's body, in bytes.
  static let maximumBytes = 4_194_304

  private struct State {
    var response = Response()
    var continuation: CheckedContinuation<Response, any Error>?
    /// Whether a status line has come, and not yet the empty line after its headers.
    var isInHeaders = false
    var isCancelled = false
    var isTooLarge = false
  }

  private let request: Request
  private let state = Mutex(State())

  private init(_ request: Request) { self.request = request }

  /// Sends a request and returns the complete response.
  ///
  /// A body that is a whole JSON object, as `JSONParser.parseLeniently` reads it, counts as complete, although its
  /// length is not the announced one or the server has not ended it, and so does one that is cut behind a refresh token:
  /// it can be had only once. A task that is cancelled returns at once, and its thread goes on until the process ends.
  ///
  /// - Throws: ``UnusableAuthority`` when the response is too large; ``Failure``; `CancellationError`.
  static func run(_ request: Request) async throws -> Response {
    let exchange = HTTPExchange(request)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = exchange.state.withLock { state in
          state.continuation = continuation
          return state.isCancelled
        }
        if isCancelled { return exchange.finish(throwing: CancellationError()) }
        Thread.detachNewThread { exchange.perform() }
      }
    } onCancel: {
      exchange.state.withLock { $0.isCancelled = true }
      exchange.finish(throwing: CancellationError())
    }
  }

  private func finish(throwing error: (any Error)?) {
    var (taken, response, isTooLarge) = state.withLock {
      ($0.continuation.take(), $0.response, $0.isTooLarge)
    }
    guard let continuation = taken else { return }
    response.decompress()
    guard let error else { return continuation.resume(returning: response) }
    if response.status > 0, response.isWhole || !isTooLarge && response.hasRefreshToken {
      continuation.resume(returning: response)
    } else {
      continuation.resume(throwing: error)
    }
  }

  /// Runs the exchange on this thread.
  private func perform() {
    guard let transfer = unsafe curl_easy_init() else { return finish(throwing: Failure(code: -1)) }
    defer { unsafe curl_easy_cleanup(transfer) }
    var headers: UnsafeMutablePointer<curl_slist>?
    defer { unsafe curl_slist_free_all(headers) }
    // Without the last one, libcurl waits for permission to send a large form.
    for line in request.headers.map({ "\($0.name): \($0.value)" }) + ["Accept-Encoding: identity", "Expect:"]
    {
      unsafe headers = curl_slist_append(headers, line)
    }
    unsafe ssc_curl_set_list(transfer, CURLOPT_HTTPHEADER, headers)
    unsafe ssc_curl_set_text(transfer, CURLOPT_URL, request.url.absoluteString)
    // Unencrypted requests bypass all proxies, so they stay on this machine.
    if request.url.scheme == "http" { unsafe ssc_curl_set_text(transfer, CURLOPT_NOPROXY, "*") }
    if let form = request.form {
      unsafe ssc_curl_set_long(transfer, CURLOPT_POSTFIELDSIZE, form.utf8.count)
      unsafe ssc_curl_set_text(transfer, CURLOPT_COPYPOSTFIELDS, form)
    }
    unsafe ssc_curl_set_long(transfer, CURLOPT_NOSIGNAL, 1)
    unsafe ssc_curl_set_long(transfer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    let receiver = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ssc_curl_set_pointer(transfer, CURLOPT_HEADERDATA, receiver)
    unsafe ssc_curl_set_receiver(transfer, CURLOPT_HEADERFUNCTION) { bytes, size, count, receiver in
      unsafe HTTPExchange.receive(bytes, size * count, receiver) { unsafe $0.add(header: $1) }
    }
    unsafe ssc_curl_set_pointer(transfer, CURLOPT_WRITEDATA, receiver)
    unsafe ssc_curl_set_receiver(transfer, CURLOPT_WRITEFUNCTION) { bytes, size, count, receiver in
      unsafe HTTPExchange.receive(bytes, size * count, receiver) { unsafe $0.add(body: $1) }
    }
    let code = unsafe curl_easy_perform(transfer)
    if state.withLock(\.isTooLarge) {
      return finish(
        throwing: UnusableAuthority(
          detail: "The authority's response has more than \(Self.maximumBytes) bytes."))
    }
    finish(throwing: code == CURLE_OK ? nil : Failure(code: Int(code.rawValue)))
  }

  /// Passes what has arrived to the exchange, and returns the number of bytes taken.
  ///
  /// libcurl ends the transfer when that is not the number that arrived.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ receiver: UnsafeMutableRawPointer?,
    _ add: (HTTPExchange, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let receiver = unsafe receiver else { return 0 }
    let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(receiver).takeUnretainedValue()
    return unsafe add(exchange, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  private func add(body bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if state.isCancelled { return false }
      state.isTooLarge = state.response.body.count + bytes.count > Self.maximumBytes
      if !state.isTooLarge { unsafe state.response.body += bytes }
      return !state.isTooLarge
    }
  }

  /// Reads a header's line; each status line begins the headers anew, as after an interim response.
  private func add(header bytes: UnsafeRawBufferPointer) -> Bool {
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    state.withLock { state in
      defer { state.isInHeaders = !line.allSatisfy(\.isNewline) }
      if !state.isInHeaders, line.hasPrefix("HTTP/") {
        let status = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        state.response.status = status ?? 0
        (state.response.retryAfter, state.response.isDeflated) = (nil, false)
        return
      }
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return }
      let value = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
      switch parts[0].lowercased() {
      case "retry-after": state.response.retryAfter = value
      case "content-encoding": state.response.isDeflated = value.lowercased().contains("deflate")
      default: break
      }
    }
    return true
  }
}
