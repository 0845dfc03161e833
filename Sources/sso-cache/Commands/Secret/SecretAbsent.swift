// SPDX-License-Identifier: MIT

/// There is no such secret: an outcome that the shell sees by its status.
struct SecretAbsent: Error {}
