// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Secret store error")
struct SecretStoreErrorTests {
  private struct Beneath: Error, CustomStringConvertible {
    let description = "what the daemon said"
  }

  private static let codes: [(SecretStoreError.Code, String)] = [
    (.interactionRequired, "interactionRequired"), (.declinedScopes, "declinedScopes"),
    (.notEntitled, "notEntitled"), (.groupLocked, "groupLocked"),
    (.groupUnrecoverable, "groupUnrecoverable"), (.promptDismissed, "promptDismissed"),
    (.serviceUnavailable, "serviceUnavailable"), (.insecureTransport, "insecureTransport"),
    (.storageFailed, "storageFailed"), (.timedOut, "timedOut"), (.leaseTimedOut, "leaseTimedOut"),
    (.ambiguousAccount, "ambiguousAccount"), (.accountMismatch, "accountMismatch"),
    (.identityMismatch, "identityMismatch"), (.serverError, "serverError"),
    (.networkError, "networkError"), (.invalidRedirectURI, "invalidRedirectURI"),
    (.invalidArgument, "invalidArgument"), (.corruptItem, "corruptItem"),
    (.conflict, "conflict"),
  ]

  @Test("A code is shown by its name", arguments: codes)
  func name(code: SecretStoreError.Code, name: String) {
    #expect(code.description == name)
    #expect("\(code)" == name)
  }

  @Test("The list of codes is complete and without repetitions")
  func all() {
    #expect(Set(SecretStoreError.Code.all) == Set(Self.codes.map(\.0)))
    #expect(SecretStoreError.Code.all.count == Self.codes.count)
    #expect(Set(SecretStoreError.Code.all.map(\.description)).count == Self.codes.count)
  }

  @Test("The description is the code, the sentence, of a foreign error its type only, and where to look")
  func description() {
    let advice = " Run sso-cache doctor to see what is amiss."
    let plain = SecretStoreError(.groupLocked, "The group is locked.")
    #expect(plain.description == "groupLocked: The group is locked.\(advice)")
    #expect("\(plain as any Error)" == plain.description)
    let wrapped = SecretStoreError(.groupLocked, "The group is locked.", underlying: Beneath())
    #expect(wrapped.description == "groupLocked: The group is locked. (Beneath)\(advice)")
    #expect(wrapped.underlying is Beneath)
    let twice = SecretStoreError(.networkError, "No answer.", underlying: plain)
    #expect(twice.description == "networkError: No answer. (\(plain))")
  }

  @Test("Errors are equal when their codes are, whatever their words")
  func equality() {
    #expect(SecretStoreError(.timedOut, "a") == SecretStoreError(.timedOut, "b", underlying: Beneath()))
    #expect(SecretStoreError(.timedOut, "a") != SecretStoreError(.leaseTimedOut, "a"))
  }

  @Test("A handler picks the error by its code")
  func handler() {
    do {
      throw SecretStoreError(.interactionRequired, "")
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      #expect(error.detail.isEmpty)
    } catch {
      Issue.record("not caught by its code")
    }
  }
}
