// SPDX-License-Identifier: MIT

/// What a change was made from is, or may be, not what is stored any more; nothing was written, and it is to be made again.
struct StaleChange: Error {}
