// SPDX-License-Identifier: MIT

package import FoundationEssentials
import StrictJSON

/// A request to the identity broker.
package struct BrokerRequest: Sendable {
  /// The methods of the broker that this package calls.
  ///
  /// None of them opens a dialog, and none asks for a refresh token or for a cookie of the primary one.
  package enum Method: String, CaseIterable, Sendable {
    case getAccounts
    case acquireTokenSilently
    case removeAccount
    case getLinuxBrokerVersion
  }

  package let method: Method
  /// The ID of the call, which the broker logs.
  package let correlationID: UUID
  /// The time after which the call ends without a reply.
  package let limit: Duration
  let members: JSONObject

  init(_ method: Method, _ members: JSONObject, correlationID: UUID, limit: Duration) {
    self.method = method
    self.members = members
    self.correlationID = correlationID
    self.limit = limit
  }

  /// The request as JSON.
  package var text: String { String(decoding: members.serialized(), as: UTF8.self) }
}

extension BrokerRequest: CustomStringConvertible, CustomReflectable {
  /// The method, without the request's content.
  package var description: String { "BrokerRequest(\(method.rawValue))" }

  /// A mirror that shows the method only.
  package var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}
