// SPDX-License-Identifier: MIT

// Re-export both models, so that an app needs one import only.
@_exported public import KeychainGroupModel
@_exported public import TokenCacheModel
