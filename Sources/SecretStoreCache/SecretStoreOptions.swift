// SPDX-License-Identifier: MIT

package import KeychainGroupModel
public import Logging

/// How a ``SecretStore`` behaves.
public struct SecretStoreOptions: Sendable {
  /// By when every call has ended, one way or the other.
  ///
  /// Ten seconds by default.
  ///
  /// It covers everything at the Secret Service and the waits for write locks. It does not cover the token
  /// endpoint, whose time is its own.
  public var timeout: Duration = .seconds(10)

  /// How long to wait while another app redeems the same refresh token, before going on without it.
  ///
  /// Half a minute by default.
  public var leasePatience: Duration = .seconds(30)

  /// Where a group is placed by the app that makes it.
  public var placement: GroupPlacement = .dedicatedIfSilent

  /// Whether a provider that offers no encrypted session is taken.
  ///
  /// Refused with `insecureTransport` by default.
  public var allowsPlainTransport = false

  /// Whether records that were read are kept in memory, and handed out without a round trip while nobody has changed
  /// them.
  ///
  /// Off by default: each call reads what is stored now. With it, no call reads anything stale after an acknowledged write
  /// of any user of this library. What other programs write over an item, of which the Secret Service tells nobody, is
  /// not noticed before somebody of this library writes it, or the provider tells of another change. The memory of this
  /// process then holds tokens between calls; they are let go of when the group is locked or the daemon ends.
  ///
  /// A writer in a sandbox, or with another `XDG_RUNTIME_DIR`, is heard of by its signal on the bus, a moment after its
  /// write is acknowledged, and where its sandbox keeps that, not at all. Where locks are not shared (``sharesLocks``) it
  /// does nothing: there the versions by which processes know of each other's writes are the sandbox's own.
  public var keepsMirror = false

  /// Whether every app that shares groups with this one has the same `XDG_RUNTIME_DIR`, where the locks are.
  ///
  /// `nil`, the default, finds it out: they do not share it in a snap, in a Flatpak without the permission
  /// `xdg-run/secret-store-cache:create`, where there is no runtime directory, and where it is another one than that of the
  /// login's bus, `/run/user/UID/bus`. State `false` for a container that has one of its own.
  ///
  /// Without shared locks a record is compared with what was read right before it is written, and read again a tenth of a
  /// second after; what another app wrote over is written again on top of it. So each write takes that much longer, and
  /// one that others keep writing over ends in `leaseTimedOut`. The page *Sandboxes* says what it can't do.
  public var sharesLocks: Bool?

  /// Whether an app that opens a group is checked to be the app it says it is; see `AppIdentity`.
  ///
  /// It is by default. Tools that act for other apps turn it off.
  public var checksIdentity = true

  /// Where is logged what is done at the Secret Service: at `debug` what happens now and then, at `trace` every reading and
  /// writing there, at `warning` what should be looked into.
  ///
  /// What belongs to a silent call is logged where that is, with its correlation id. No line holds a token, a user name
  /// or a secret.
  public var logger = Logger(label: "org.secretstorecache.SecretStore")

  /// Where the system is asked which app this process is.
  package var processFacts: any ProcessFactsSource = SystemProcessFacts()

  /// The defaults.
  public init() {}
}
