// SPDX-License-Identifier: MIT

// An app that shows a diagnosis imports one module.
@_exported public import SecretStoreCache
