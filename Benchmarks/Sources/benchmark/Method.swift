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

    """
}
