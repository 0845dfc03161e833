// SPDX-License-Identifier: MIT

/// The behaviour that a Secret Service provider can be relied on for.
///
/// All differences between providers are listed here.
///
/// The traits are determined once per connection, from the interfaces that the provider offers. For gnome-keyring
/// they are its observed behaviour. Any other provider is assumed to behave like the worse of KWallet 5.103 and
/// KeePassXC 2.7.4.
package struct ProviderTraits: Sendable, Hashable {
  /// Whether gnome-keyring's own interface is available, which creates and unlocks collections with a password.
  package var offersGnomeInterface = false

  /// Whether KWallet's own interface is available, which states which wallets are open.
  ///
  /// The Secret Service reports an open wallet as locked until a program unlocks it. That unlock shows no dialog.
  package var offersWalletInterface = false

  /// Whether a search of the whole service finds locked items and never prompts.
  ///
  /// A locked KeePassXC finds nothing, or prompts for the database's password first.
  var searchFindsLocked: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether a write that was accepted is stored.
  ///
  /// KWallet accepts writes to a locked item and drops them.
  var keepsWhatItAccepts: Bool { offersGnomeInterface }

  /// Whether an unlocked item has the schema that it was stored with.
  ///
  /// gnome-keyring states the generic schema for an item without one, and for a locked item.
  package var keepsSchemas: Bool { offersGnomeInterface }

  /// Whether an item is replaced without a prompt.
  ///
  /// KeePassXC prompts before it replaces another program's item.
  var replacesWithoutDialog: Bool { offersGnomeInterface }

  /// Whether an item is deleted without a prompt.
  ///
  /// KeePassXC prompts unless its user has turned that off.
  var deletesWithoutDialog: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether a deleted collection is gone for good.
  ///
  /// KeePassXC only closes the database. Its contents are back when the database is opened again.
  var deletesCollections: Bool { offersGnomeInterface || offersWalletInterface }

  /// Whether `CreateItem` in an open collection may return a prompt that completes without a dialog, as KeePassXC's
  /// does.
  var mayPromptToCreate: Bool { !offersGnomeInterface }
}

extension ProviderTraits: CustomStringConvertible {
  /// The provider whose interfaces were found.
  package var description: String {
    offersGnomeInterface ? "gnome-keyring" : offersWalletInterface ? "KWallet" : "another"
  }
}
