// SPDX-License-Identifier: MIT

import CProcess
import Foundation
import SecretStoreAgent
import SecretStoreCache
import Testing

/// Real processes, and sandboxes that bubblewrap makes as Flatpak does.
@Suite("A caller among the real processes", .timeLimit(.minutes(1)))
struct RealProcessTests {
  private let identification = CallerIdentification()

  private func refused(_ process: pid_t, pidfd: Int32? = nil, _ comment: Comment? = nil) {
    #expect(throws: SecretStoreError(.identityMismatch, ""), comment) {
      try identification.caller(processID: process, pidfd: pidfd)
    }
  }

  private func descriptor(_ process: pid_t) throws -> Int32 {
    var error: Int32 = 0
    let descriptor = unsafe process_descriptor(process, &error)
    try #require(descriptor >= 0, "error \(error)")
    return descriptor
  }

  @Test("This process and its child are host programs")
  func host() async throws {
    #expect(try identification.caller(processID: getpid()) == .host)
    let child = try WaitingProgram(["cat"])
    #expect(try await identification.caller(processID: #require(child.identifier())) == .host)
  }

  @Test("A given descriptor must be the process's own, of a process that runs")
  func descriptors() async throws {
    let child = try WaitingProgram(["cat"])
    let number = try #require(await child.identifier())
    let descriptor = try descriptor(number)
    defer { close(descriptor) }
    #expect(try identification.caller(processID: number, pidfd: descriptor) == .host)
    refused(getpid(), pidfd: descriptor)
    refused(number, pidfd: 0)
    refused(number, pidfd: -1)
    refused(number, pidfd: 1_000_000)
    child.end()
    refused(number, pidfd: descriptor)
    refused(number)
  }

  @Test("A process that has ended and that nobody waited for is refused")
  func zombie() async throws {
    var number: pid_t = 0
    let arguments = unsafe [strdup("true"), nil]
    defer { unsafe free(arguments[0]) }
    let status = unsafe posix_spawnp(&number, "true", nil, nil, arguments, nil)
    #expect(status == 0)
    while FileReader.text("/proc/\(number)/stat")?.contains(") Z") == false {
      try await Task.sleep(for: .milliseconds(1))
    }
    refused(number)
    let readable = try MadeProcess(number)
    #expect(throws: SecretStoreError(.identityMismatch, ""), "its files can still be read") {
      try readable.caller()
    }
    let ended = waitpid(number, nil, 0)
    #expect(ended == number)
    refused(number)
  }

  @Test("A thread that is not its process's first is refused")
  func thread() throws {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap(
      pid_t.init)
    for thread in threads where thread != getpid() { refused(thread) }
  }

  @Test("A process in a user namespace without a Flatpak's file is refused")
  func userNamespace() async throws {
    for flags in ["-U", "-Um"] {
      let child = try WaitingProgram(["unshare", flags, "cat"])
      guard let number = try await child.identifier() else { continue }
      refused(number, "\(flags)")
    }
  }

  /// The command of a sandbox as Flatpak makes it; `info` is the path of its `/.flatpak-info`.
  private static func sandbox(_ info: String, devices: Bool = true) -> [String] {
    [
      "bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
      "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc",
      "--bind", "/proc", "/proc", "--bind", "/tmp", "/tmp", "--ro-bind", info, "/.flatpak-info",
    ] + (devices ? ["--dev", "/dev"] : ["--dev-bind", "/dev", "/dev"])
  }

  private static func info(_ app: String) -> String {
    "[Application]\nname=\(app)\n[Policy SecretStoreCache]\ngroups=com.contoso.shared;\npublisher=com.contoso;\n"
  }

  @Test("In a sandbox the file at its root counts, seen from outside", arguments: [true, false])
  func sandbox(devices: Bool) async throws {
    let folder = try TemporaryFolder()
    let child = try WaitingProgram(
      Self.sandbox(folder.write("info", Self.info("com.contoso.Mail")), devices: devices) + ["cat"])
    guard let number = try await child.identifier() else { return }  // a machine without user namespaces
    let caller = try identification.caller(processID: number)
    #expect(caller.app?.name == "com.contoso.Mail" && caller.kind == .flatpak)
    #expect(caller.groups == ["com.contoso.shared"] && caller.publisher == "com.contoso")
  }

  @Test("A sandbox inside of a sandbox is refused, with a forged file and without one")
  func nested() async throws {
    let folder = try TemporaryFolder()
    let outer = Self.sandbox(try folder.write("outer", Self.info("com.fabrikam.Spy")))
    let forged = try folder.write("forged", Self.info("com.contoso.Mail"))
    try folder.write("root/.flatpak-info", Self.info("com.contoso.Mail"))
    let change = "mount --bind \(forged) /.flatpak-info && exec cat"
    for inner in [
      Self.sandbox(forged) + ["cat"],
      ["unshare", "-U", "cat"], ["unshare", "-rm", "sh", "-c", change],
      ["unshare", "-rm", "sh", "-c", "umount -l /.flatpak-info; exec cat"],
    ] {
      let child = try WaitingProgram(outer + inner)
      guard let number = try await child.identifier() else { continue }
      do throws(SecretStoreError) {
        // A new user namespace alone changes neither the root nor the file.
        let caller = try identification.caller(processID: number)
        #expect(caller.app?.name == "com.fabrikam.Spy", "\(inner)")
      } catch {
        #expect(error.code == .identityMismatch, "\(inner)")
      }
    }
  }
}
