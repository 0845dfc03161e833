// SPDX-License-Identifier: MIT

import Glibc

/// A prompt that reads a line from the terminal without echo, even when standard input is not the terminal.
///
/// Ctrl-C ends the process and Ctrl-Z stops it. Both restore the terminal's settings.
package struct HiddenPrompt {
  let signals: SignalReceiver
  /// The remedy when there is no terminal.
  let absence: String

  package init(signals: SignalReceiver, absence: String) {
    self.signals = signals
    self.absence = absence
  }

  /// Asks once.
  package func line(_ prompt: String) throws -> KeyBuffer {
    let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw HeadlessFailure.usage("There is no terminal to ask on.", remedy: absence)
    }
    defer { close(terminal) }
    return try line(prompt, terminal)
  }

  private func line(_ prompt: String, _ terminal: Int32) throws -> KeyBuffer {
    var shown = termios()
    guard unsafe tcgetattr(terminal, &shown) == 0 else {
      throw HeadlessFailure.usage("The terminal does not answer.")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    defer {
      unsafe tcsetattr(terminal, TCSAFLUSH, &shown)
      display("\n", terminal)
    }
    let key = try KeyBuffer()
    unsafe tcsetattr(terminal, TCSAFLUSH, &hidden)
    display(prompt, terminal)
    while true {
      guard try isReadable(terminal, shown: shown, hidden: hidden, prompt) else { continue }
      guard let byte = try key.read(from: terminal, atMost: 1) else { break }
      if byte == UInt8(ascii: "\n") { break }
    }
    key.dropLineFeed()
    return key
  }

  /// Returns whether input is available.
  ///
  /// While this process is stopped, the terminal has its original settings.
  private func isReadable(
    _ terminal: Int32, shown: termios, hidden: termios, _ prompt: String
  ) throws -> Bool {
    var request = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    let isReady = unsafe poll(&request, 1, 100) > 0
    while let signal = signals.next(withinMilliseconds: 0) {
      if signal.isEnding { throw Interrupted(signal: signal.number) }
      guard signal.number == SIGTSTP else { continue }
      var (shown, hidden) = (shown, hidden)
      unsafe tcsetattr(terminal, TCSANOW, &shown)
      kill(getpid(), SIGSTOP)
      unsafe tcsetattr(terminal, TCSANOW, &hidden)
      display(prompt, terminal)
    }
    return isReady
  }

  private func display(_ text: String, _ terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
  }
}
