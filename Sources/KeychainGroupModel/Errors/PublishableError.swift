// SPDX-License-Identifier: MIT

/// An error whose description is known to hold no secret, so that it may stand inside another's.
package protocol PublishableError: Error, CustomStringConvertible {}
