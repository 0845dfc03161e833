// SPDX-License-Identifier: MIT

/// A method of an object on the bus.
struct BusMethod: Sendable {
  /// The bus name of the program that has the object.
  let service: String
  let path: ObjectPath
  let interface: String
  let name: String
}
