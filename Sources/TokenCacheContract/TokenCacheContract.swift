// SPDX-License-Identifier: MIT

/// The rules that every `TokenCacheBackend` must follow, as cases for any test framework.
///
/// ```swift
/// import Testing
/// import TokenCacheContract
/// import TokenCacheModel
///
/// @Test(arguments: TokenCacheContract.cases)
/// func keeps(_ rule: ContractCase) async throws {
///   let backend = MyBackend(leaseTimeout: rule.leaseTimeout)
///   try await rule.check(
///     ContractEnvironment(backend: backend, other: backend, storeRaw: { await backend.storeRaw($0, for: $1) }))
/// }
/// ```
public enum TokenCacheContract {
  /// All cases.
  ///
  /// Each case needs its own empty back end.
  public static let cases: [ContractCase] =
    recordCases + keyCases + hostileCases + cacheCases + concurrencyCases + leaseCases + leaseEndCases
    + changeCases
}
