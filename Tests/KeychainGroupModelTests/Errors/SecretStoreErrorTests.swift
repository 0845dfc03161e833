// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@Suite("Secret store error")
struct SecretStoreErrorTests {
  private struct Underlying: Error, CustomStringConvertible {
    let description = "what the daemon said"
  }

  private static let codes: [(SecretStoreError.Code, String)] = [
    (.interactionRequired, "interactionRequired"), (.declinedScopes, "declinedScopes"),
    (.notEntitled, "notEntitled"), (.groupLocked, "groupLocked"),
    (.groupUnrecoverable, "groupUnrecoverable"), (.promptDismissed, "promptDismissed"),
    (.serviceUnavailable, "serviceUnavailable"), (.insecureTransport, "insecureTransport"),
    (.storageFailed, "storageFailed"), (.timedOut, "timedOut"), (.lockTimedOut, "lockTimedOut"),
    (.ambiguousAccount, "ambiguousAccount"), (.accountMismatch, "accountMismatch"),
    (.identityMismatch, "identityMismatch"), (.serverError, "serverError"),
    (.networkError, "networkError"), (.invalidRedirectURI, "invalidRedirectURI"),
    (.invalidArgument, "invalidArgument"), (.corruptItem, "corruptItem"),
    (.invalidResponse, "invalidResponse"), (.missingClientInfo, "missingClientInfo"),
    (.invalidFile, "invalidFile"),
    (.conflict, "conflict"), (.protectionPolicyRequired, "protectionPolicyRequired"),
    (.interactiveSessionAlreadyRunning, "interactiveSessionAlreadyRunning"),
  ]

  @Test("A code is shown by its name", arguments: codes)
  func name(code: SecretStoreError.Code, name: String) {
    #expect(code.description == name)
    #expect("\(code)" == name)
  }

  @Test("The list of codes is complete and has no duplicates")
  func all() {
    #expect(Set(SecretStoreError.Code.all) == Set(Self.codes.map(\.0)))
    #expect(SecretStoreError.Code.all.count == Self.codes.count)
    #expect(Set(SecretStoreError.Code.all.map(\.description)).count == Self.codes.count)
  }

  @Test(
    "A description has the code, the message, the type of an underlying foreign error, and what to run")
  func description() {
    let advice = " Run sso-cache doctor to find the cause."
    let plain = SecretStoreError(.groupLocked, "The group is locked.")
    #expect(plain.description == "groupLocked: The group is locked.\(advice)")
    #expect("\(plain as any Error)" == plain.description)
    let wrapped = SecretStoreError(.groupLocked, "The group is locked.", underlying: Underlying())
    #expect(wrapped.description == "groupLocked: The group is locked. (Underlying)\(advice)")
    #expect(wrapped.underlying is Underlying)
    let twice = SecretStoreError(.networkError, "No answer.", underlying: plain)
    #expect(twice.description == "networkError: No answer. (\(plain))")
  }

  @Test("Errors with equal codes are equal, whatever their messages")
  func equality() {
    #expect(SecretStoreError(.timedOut, "a") == SecretStoreError(.timedOut, "b", underlying: Underlying()))
    #expect(SecretStoreError(.timedOut, "a") != SecretStoreError(.lockTimedOut, "a"))
  }

  @Test("A handler picks the error by its code, and no other error")
  func handler() {
    func caught(_ error: any Error) -> String {
      do {
        throw error
      } catch SecretStoreError.Code.interactionRequired {
        return "interactionRequired"
      } catch SecretStoreError.Code.groupLocked {
        return "groupLocked"
      } catch {
        return "another"
      }
    }
    #expect(caught(SecretStoreError(.interactionRequired, "")) == "interactionRequired")
    #expect(caught(SecretStoreError(.groupLocked, "")) == "groupLocked")
    #expect(caught(SecretStoreError(.timedOut, "")) == "another")
    #expect(caught(Underlying()) == "another")
  }

  @Test(
    "The text for the person depends on the code only, and names no program, group or code", arguments: codes)
  func person(code: SecretStoreError.Code, name: String) throws {
    let error = SecretStoreError(
      code, "The group contoso.com.contoso.shared is locked.", underlying: Underlying())
    let text = try #require(error.errorDescription)
    #expect((error as any Error).localizedDescription == text)
    #expect(text.hasSuffix(".") && text.first?.isUppercase == true)
    for word in ["sso-cache", "doctor", "contoso", "daemon", "SecretStoreError", name] {
      #expect(!text.contains(word), "\(text)")
    }
  }

  @Test("Errors about responses, files and arguments don't name doctor, which can't know their cause")
  func hints() {
    let without: [SecretStoreError.Code] = [
      .invalidResponse, .missingClientInfo, .invalidFile, .invalidArgument, .serverError, .networkError,
    ]
    for code in without { #expect(!SecretStoreError(code, "x").description.contains("doctor"), "\(code)") }
    #expect(SecretStoreError(.corruptItem, "x").description.contains("doctor"))
  }
}
