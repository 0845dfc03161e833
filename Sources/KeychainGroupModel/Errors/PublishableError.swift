// SPDX-License-Identifier: MIT

/// An error whose description holds no secret and may appear in the description of another error.
package protocol PublishableError: Error, CustomStringConvertible {}
