// SPDX-License-Identifier: MIT

/// What each row measures.
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
    - **Repeated look-up.** The second and later `acquireTokenSilent` in a process without a mirror: each reads what is \
    stored now. In C: `GetSecrets` of that item.
    - **Warm look-up.** With `keepsMirror`; msal-extensions has loaded its cache, and looks at its file's time.
    - **Save.** Ours: `TokenCache.save` of a token response. In C: `SetSecret` or `CreateItem` of the same item and \
    nothing else; and the same calls, which are `GetSecrets` and `SetSecret` of the document, or, for a new account, a \
    search for it, a search for the group's marker, `GetSecrets` of the marker and `CreateItem`. (A save merges what \
    is stored, so it reads before it writes.) msal-extensions: `TokenCache.add` of the same response, as MSAL calls it \
    when a token endpoint has answered, in a process that has loaded its cache. libsecret: `secret_service_store` over \
    our item or where there is none. SecretStorage: a search and `set_secret`, or `create_item`. keyring: \
    `set_password`. The peers write to the default collection, as their documentation says, where the items of other \
    apps are; ours is a collection of its own: that is a part of the difference.
    - **List.** Ours: `TokenCache.accounts()`, which keeps nothing from one call to the next. In C: `SearchItems` and \
    `GetSecrets` of everything. msal-extensions: a new `PersistedTokenCache`, and `get_accounts`.
    - **The tool.** From the start of the process until it has ended: `sso-cache token` against `secret-tool lookup` \
    of an item with the same document.
    - **Memory.** The greatest resident size (`VmHWM`) of a process that has listed all accounts and got a token of \
    each: ours with `keepsMirror`, MSAL Python with a loaded cache. Both have read the same description of the \
    accounts.

    ## Where the time goes

    What is not reached, and why, as measured:

    - **The C programs that make two round trips**, `secret_password_lookup` among them, do what a cold look-up has to do \
    and nothing with the answer. Ours goes from the caller's thread to the one that runs GLib and back for each round \
    trip, reads the JSON and chooses a token. It is near them, and can't be faster. At one and five accounts \
    msal-extensions' one item is small, too, and read in a search and a look-up, on one thread.
    - **A repeated look-up** is one round trip and the same way between threads: 0.1 to 0.2 ms on this machine.
    - **A warm look-up** reads two version files to be certain that nobody has changed the record. Opening, reading and \
    closing one takes 6.8 µs here (a loop in C), so the two take as long as MSAL's whole look-up, which asks for \
    one file's time. A fifth of that needs the versions in mapped memory. Working out the files' names and words for a log that nobody reads was left out of it: \
    54 µs became 37 µs at 25 accounts. It is flat.
    - **A save reads before it writes**, so that nothing is lost of what others have saved. The same two calls in C take \
    longer than one `SetSecret` or `CreateItem`, too, until the collection is so large that writing it is all that counts; \
    a new account's two searches go through the items of the other collections as well. The rest is the lock, the two \
    versions, and the signal to other apps.
    - **Listing** reads an item for each account, and the calls themselves are slower than msal-extensions' one item: \
    see the index above.
    - **The tool** took 32 ms of processor time, and secret-tool 8: more than half was the loading of shared libraries. What \
    only `--authority` needs of the system's networking is in a program of its own now (32 ms became 19), and Swift's \
    libraries are linked statically, as `Scripts/install` builds it (15). Of what is left, 3 ms are the loading, 2 more \
    are Swift's looking up types for the first time, 1 to 2 are the arguments, and secret-tool's own calls are the \
    rest. While the arguments are read, it connects already; and it reads an account's item once: 3.2 times \
    secret-tool's time became 1.5 at five accounts (medians of 25 runs by turns, scheduled before other programs).
    - **Memory**: 24 MB of ours are there with one account, 36 of MSAL Python's. What the 11 that 249 more accounts add \
    are made of has not been looked into.

    """
}
