// SPDX-License-Identifier: MIT

/// The description of what each row measures.
enum Method {
  static let text = """
    ## What was measured

    Everything runs on a real gnome-keyring on a private bus, whose files are in memory. All contestants of a row take \
    turns against the same daemon with the same items. Those in C and Python time themselves in a process of their own, \
    which has connected, imported its modules and found its account before its first run is timed; they read and write \
    tokens of the same sizes. Of our own work everything is timed that an app waits for: locks, versions, JSON, checks \
    and the signal to other apps are part of it.

    - **Cold look-up.** Ours: a new `TokenCache` over an open connection, and `acquireTokenSilent` for a token that is \
    stored. The same calls in C: `SearchItems` and `GetSecrets`. `secret_password_lookup` and `secret_service_search` \
    find our item by its attributes and return its secret, and nothing is read out of it. msal-extensions: a new \
    `PersistedTokenCache` over `build_encrypted_persistence`, and `acquire_token_silent` of a \
    `PublicClientApplication` that is there already. SecretStorage and keyring: the same document for each account, \
    as an item of its own in the default collection, found by its attributes; keyring connects anew for each call, as \
    it does everywhere.
    - **Repeated look-up.** The second and later `acquireTokenSilent` in a process without a record cache: each reads \
    what is stored now. In C: `GetSecrets` of that item.
    - **Warm look-up.** With `cachesRecords`; msal-extensions has loaded its cache, and looks at its file's time.
    - **Save.** Ours: `TokenCache.save` of a token response. In C: `SetSecret` or `CreateItem` of the same item and \
    nothing else; and the same calls, which are `GetSecrets` and `SetSecret` of the document and a search for copies of \
    it, or, for a new account, a search for it, a search for the group's marker, `GetSecrets` of the marker and \
    `CreateItem`. (A save merges what \
    is stored, so it reads before it writes.) msal-extensions: `TokenCache.add` of the same response, as MSAL calls it \
    when a token endpoint has responded, in a process that has loaded its cache. libsecret: `secret_service_store` over \
    our item or where there is none. SecretStorage: a search and `set_secret`, or `create_item`. keyring: \
    `set_password`. The peers write to the default collection, as their documentation says, where the items of other \
    apps are; ours is a collection of its own: that is a part of the difference.
    - **List.** Ours: `TokenCache.accounts()`, which keeps nothing from one call to the next. In C: `SearchItems` and \
    `GetSecrets` of everything. msal-extensions: a new `PersistedTokenCache`, and `get_accounts`.
    - **Import.** Ours: `CacheTransfer.importUnified` of the accounts' cache into a new group that has one of them. In \
    C: a `CreateItem` for each of the others, of one item's size, into the collection of such a group.
    - **The tool.** From the start of the process until it has ended: `sso-cache token` against `secret-tool lookup` \
    of an item with the same document.
    - **Memory.** The greatest resident size (`VmHWM`) of a process that has listed all accounts and got a token of \
    each: ours with `cachesRecords`, MSAL Python with a loaded cache. Both have read the same description of the \
    accounts. What no other process can share is `RssAnon` at the end: the rest are pages of programs and libraries, of \
    which a machine has one copy for all who use them.

    ## Where the time goes

    What is not reached, and why, as measured:

    - **A cold look-up** wakes the caller once for two round trips: the caller sends the search, the thread that reads \
    the bus sends the call for the secrets where it finds the reply, and the caller is woken by that one's. At five \
    accounts the two replies take 1.5 ms, waking the caller 0.02, opening the group and making the call 0.1, and \
    decrypting, reading and choosing 0.12. In a run in which the calls in C took 2 ms it took 1.04, 1.06 and 1.03 of \
    that at 1, 5 and 25 accounts. This is a virtual machine, whose host at other times takes twice as long to wake a \
    processor, for the calls in C, too: then a ratio is anything between 0.96 and 1.6. Programs like \
    `secret_password_lookup` do what a cold look-up has to do and nothing with the reply: it can be near them, and not \
    before them. At one and five accounts msal-extensions' one item is small, too, and the same calls in C take longer \
    than it does.
    - **A warm look-up** looks at two versions in mapped memory, to be certain that nobody has changed the record, and \
    hands out what was chosen from it before.
    - **A save reads before it writes**, so that nothing is lost of what others have saved. The same two calls in C \
    take longer than one `SetSecret` or `CreateItem`, too, until the collection is so large that writing it is all \
    that counts; a new account's two searches go through the items of the other collections as well. The rest is the \
    lock, the two versions, and the signal to other apps, which the bus has to have before the process may end: that \
    waits for one reply of the bus.
    - **Listing** reads an item for each account, and the calls themselves are slower than msal-extensions' one item: \
    see the index above.
    - **The tool** takes 15 ms of processor time, and secret-tool 8. What only `--authority` needs of the system's \
    networking is in a program of its own, and Swift's libraries are linked statically, as `Scripts/install` builds \
    it. Of the difference, 3 ms are the loading of shared libraries, 2 more are Swift's looking up types for the first \
    time, and 1 to 2 are the arguments. While these are read, it connects already. In all, it takes 1.6 times \
    secret-tool's time at five accounts (medians of 25 runs by turns, scheduled before other programs); the table's \
    are of an idle machine.
    - **Memory**: of ours with one account, 2 MB are its own, and 22 are pages of libraries that were touched: Swift's 7, \
    Foundation's 4, GLib's, libsecret's and libgcrypt's 4, the C and C++ libraries' 3, and the program's own 5. That alone \
    is more than half of MSAL Python's. 249 more accounts add 12 MB, most of which is what listing them took for a moment.

    """
}
