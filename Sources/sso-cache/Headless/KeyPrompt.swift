// SPDX-License-Identifier: MIT

import Glibc

/// Asks for a key on the terminal, whatever standard input is, without showing it.
struct KeyPrompt {
  let inbox: SignalInbox

  /// Asks once, or twice for a new keyring, which a slip of the finger would lock for good.
  func ask(isNew: Bool) throws -> KeyBuffer {
    let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw HeadlessFailure.usage(
        "There is no terminal to ask for the key on.",
        remedy: "Give it with --credential or --key-fd.")
    }
    defer { close(terminal) }
    let key = try line(isNew ? "New keyring's key: " : "Keyring's key: ", terminal)
    guard isNew, key.count > 0 else { return key }
    guard try line("The same once more: ", terminal).isSame(as: key) else {
      throw HeadlessFailure.unsuitableKey("The two keys differ.", remedy: "Try again.")
    }
    return key
  }

  private func line(_ question: String, _ terminal: Int32) throws -> KeyBuffer {
    var shown = termios()
    guard unsafe tcgetattr(terminal, &shown) == 0 else {
      throw HeadlessFailure.usage("The terminal does not answer.")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    defer {
      unsafe tcsetattr(terminal, TCSAFLUSH, &shown)
      say("\n", terminal)
    }
    let key = KeyBuffer()
    unsafe tcsetattr(terminal, TCSAFLUSH, &hidden)
    say(question, terminal)
    while true {
      guard try isReadable(terminal, shown: shown, hidden: hidden, question) else { continue }
      guard let byte = try key.read(from: terminal, atMost: 1) else { break }
      if byte == UInt8(ascii: "\n") { break }
    }
    key.dropLineFeed()
    return key
  }

  /// Waits for a key stroke; the terminal is as it was while this process is stopped.
  private func isReadable(
    _ terminal: Int32, shown: termios, hidden: termios, _ question: String
  ) throws -> Bool {
    var request = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    let isReady = unsafe poll(&request, 1, 100) > 0
    while let arrival = inbox.next(withinMilliseconds: 0) {
      if arrival.isEnding { throw Interrupted(signal: arrival.number) }
      guard arrival.number == SIGTSTP else { continue }
      var (shown, hidden) = (shown, hidden)
      unsafe tcsetattr(terminal, TCSANOW, &shown)
      kill(getpid(), SIGSTOP)
      unsafe tcsetattr(terminal, TCSANOW, &hidden)
      say(question, terminal)
    }
    return isReady
  }

  private func say(_ text: String, _ terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
  }
}
