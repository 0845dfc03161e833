// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The README's example of an account list that follows its siblings, compiled.
struct WatchingSnippet {
  protocol AccountList {
    func show(_ accounts: [Account])
    func insert(_ account: Account)
    func update(_ account: Account)
    func remove(_ account: Account)
  }

  let cache: TokenCache
  let accountList: any AccountList

  func run() async {
    // begin
    for await change in cache.changes() {
      switch change {
      case .snapshot(let snapshot): accountList.show(snapshot.accounts)
      case .accountAdded(let account): accountList.insert(account)
      case .accountUpdated(let account): accountList.update(account)
      case .accountRemoved(let account): accountList.remove(account)
      default: continue  // new tokens; the group locked, unlocked, made, moved, deleted
      }
    }
    // end
  }
}
