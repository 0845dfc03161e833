// SPDX-License-Identifier: MIT

// Whoever imports SecretStoreCache sees the two models with it: one import for an app.
@_exported public import KeychainGroupModel
@_exported public import TokenCacheModel
