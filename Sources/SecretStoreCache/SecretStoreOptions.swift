// SPDX-License-Identifier: MIT

package import KeychainGroupModel
public import Logging

/// The options of a ``SecretStore``.
public struct SecretStoreOptions: Sendable {
  /// The time after which a call ends, successfully or with an error.
  ///
  /// The default is ten seconds. It covers all work at the Secret Service and the waits for write locks. It does not
  /// cover the token endpoint, which has its own timeout. A prompt's time limit is added to it, and
  /// ``SecretStore/moveGroup(_:promptPolicy:progress:)`` has a minute for each record instead. Where other programs have
  /// made copies of a record, a removal has this time for each copy, and other writers of the record wait as long.
  public var timeout: Duration = .seconds(10)

  /// How long to wait for the refresh lease while another app redeems the same refresh token.
  ///
  /// After that the call continues without the lease. The default is half a minute.
  public var leaseTimeout: Duration = .seconds(30)

  /// The placement of the groups that this app creates.
  public var placement: GroupPlacement = .dedicatedIfSilent

  /// Whether to accept a provider that offers no encrypted session.
  ///
  /// By default, such a provider is refused with `insecureTransport`.
  public var allowsPlainTransport = false

  /// Whether to keep the records that were read in the record cache, and return them without a round trip while they
  /// are unchanged.
  ///
  /// It is off by default: each call then reads what is stored now. With it, no call returns stale data after an
  /// acknowledged write of any user of this library. A write by another program, of which the Secret Service sends no
  /// signal, is not noticed until a user of this library writes the record or the provider signals another change. The
  /// process's memory then holds tokens between calls. They are released when the group is locked or the daemon ends.
  ///
  /// A writer in a sandbox, or with another `XDG_RUNTIME_DIR`, is noticed by its D-Bus signal, a moment after its write
  /// is acknowledged. If its sandbox blocks the signal, its write is not noticed. Where locks are not shared
  /// (``sharesLocks``), the option has no effect, because the versions by which processes notice each other's writes
  /// are private to the sandbox.
  public var cachesRecords = false

  /// Whether every app that shares groups with this one has the same `XDG_RUNTIME_DIR`, which holds the locks.
  ///
  /// `nil`, the default, detects it. Locks are not shared in a snap; in a Flatpak without a writable mount of
  /// `xdg-run/secret-store-cache`; without a runtime directory; and where that is not the directory of the session
  /// bus's socket, or `/run/user/UID` for a bus without such a directory. Set `false` for a container that has another
  /// directory at the same path.
  ///
  /// Without shared locks, a record is compared with what was read right before it is written, and read again a tenth
  /// of a second later. If another app has overwritten it, the change is applied again to what that app stored. Each
  /// write therefore takes that much longer, and fails with `lockTimedOut` if others keep overwriting it until the
  /// deadline. Apps that share locks do the same for a week after an app without shared locks has announced that it
  /// writes the group. The page *Sandboxes* lists the limits.
  public var sharesLocks: Bool?

  /// A way to the user's groups.
  public enum Transport: Sendable {
    /// The agent for an app in a snap, or in a Flatpak whose permissions name the agent, where it can be reached;
    /// otherwise the Secret Service.
    case automatic
    /// The agent, which opens the groups that the app is entitled to.
    case agent
    /// The Secret Service itself.
    case secretService
  }

  /// The way to the groups that the app opens.
  ///
  /// It applies to token caches, back ends and secrets. The calls for groups as a whole, such as
  /// ``SecretStore/createGroup(_:promptPolicy:)``, always use the Secret Service. With the agent, ``placement``,
  /// ``cachesRecords`` and ``sharesLocks`` are the agent's own; each call is one round trip to it. The page *Sandboxes*
  /// says what the agent enforces.
  public var transport = Transport.automatic

  /// Whether to check that an app that opens a group is the app that it states to be.
  ///
  /// On by default. Tools that act for other apps turn it off.
  public var checksIdentity = true

  /// The logger for the work at the Secret Service.
  ///
  /// It logs occasional events at `debug`, every read and write at `trace`, and what should be investigated at
  /// `warning`. Work for a silent call is logged to that call's logger instead, with its correlation id. No line
  /// contains a token, a user name or a secret.
  public var logger = Logger(label: "org.secretstorecache.SecretStore")

  /// The source of the system's facts about this process, which show which app it is.
  package var processFacts: any ProcessFactsSource = SystemProcessFacts()

  /// Creates the default options.
  public init() {}
}
