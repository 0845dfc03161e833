// SPDX-License-Identifier: MIT

/// What a provider of the Secret Service can be trusted with: the one place that knows how they differ.
///
/// It is found out once for each connection, by the interfaces that the provider has. gnome-keyring is trusted with
/// what it was seen to do; of any other provider it is assumed that it does whatever KWallet 5.103 or KeePassXC 2.7.4
/// was seen to do.
struct ProviderTraits: Sendable, Hashable {
  /// Whether collections can be made and unlocked by a password, on gnome-keyring's own interface.
  var offersGnomeInterface = false

  /// Whether KWallet's own interface says which wallets are open.
  ///
  /// To the Secret Service an open wallet is locked until a program asks to unlock it, which then needs no dialog.
  var offersWalletInterface = false

  /// Whether a search of the whole service finds what is locked, and asks nobody.
  ///
  /// A locked KeePassXC finds nothing, or asks for the database's password first.
  var searchFindsLocked: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether a write that was accepted is stored.
  ///
  /// KWallet accepts writes to a locked item and drops them.
  var keepsWhatItAccepts: Bool { offersGnomeInterface }

  /// Whether an item is replaced without a question.
  ///
  /// KeePassXC asks before it replaces another program's item.
  var replacesWithoutDialog: Bool { offersGnomeInterface }

  /// Whether an item is deleted without a question.
  ///
  /// KeePassXC asks unless its user has told it not to.
  var deletesWithoutDialog: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether a collection that is deleted is gone.
  ///
  /// KeePassXC closes the database, and brings everything back when it is opened again.
  var deletesCollections: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether making an item in an open collection answers with a prompt that completes by itself.
  ///
  /// KeePassXC's does.
  var mayPromptToCreate: Bool { !offersGnomeInterface }
}

extension ProviderTraits: CustomStringConvertible {
  /// By whose interfaces it was known.
  var description: String {
    offersGnomeInterface ? "gnome-keyring" : offersWalletInterface ? "KWallet" : "another"
  }
}
