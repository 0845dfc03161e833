// SPDX-License-Identifier: MIT

// An identity library adds one product and imports one module.
@_exported public import KeychainGroupModel
@_exported public import StrictJSON
@_exported public import UnifiedCache
