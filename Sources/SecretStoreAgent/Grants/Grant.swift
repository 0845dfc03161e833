// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import SecretStoreCache

extension InstalledApps {
  /// The permission of a sandboxed app to use a group that neither its metadata nor its ID give it.
  ///
  /// It counts from the app's next connection to the agent on.
  public struct Grant: Hashable, Sendable {
    /// Who granted it.
    public enum Source: String, Hashable, Sendable {
      /// The user, by `sso-cache grant`.
      case user
      /// The administrator, for all users of the machine.
      case administrator
    }

    /// The app.
    public let app: AppIdentifier

    /// The group.
    public let group: AccessGroup

    /// Who granted it.
    public let source: Source

    /// The path of the file that holds it.
    public let path: String

    /// A problem with a file of grants; what it concerns grants nothing.
    public struct Problem: Hashable, Sendable {
      /// The file's or the folder's path.
      public let path: String

      /// The number of the line, or `nil` when it is the whole file.
      public let line: Int?

      /// One sentence that says what is wrong.
      public let explanation: String
    }
  }

  /// Returns the groups that the user and the administrator granted to sandboxed apps, sorted by app and group.
  public func grants() -> [Grant] { GrantStore().grants() }

  /// Returns the problems of the files of grants.
  public func grantProblems() -> [Grant.Problem] { GrantStore().problems() }

  /// Takes back a grant of the user; one that is gone already is no error.
  ///
  /// - Throws: `invalidArgument` for a grant of the administrator, which only the administrator can take back.
  ///   `invalidFile` when the user's file is refused as it is; `lockTimedOut` when another program holds its lock;
  ///   `storageFailed` when it can't be written, and is as before.
  public func revoke(_ grant: Grant) async throws {
    guard grant.source == .user else {
      throw SecretStoreError(
        .invalidArgument,
        "\(grant.app) may use \(grant.group) by the administrator's file \(grant.path), which only the administrator"
          + " can change.")
    }
    _ = try await GrantStore().revoke(grant.group, from: grant.app)
  }
}
