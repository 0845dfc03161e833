// SPDX-License-Identifier: MIT

/// The rules that every `TokenCacheBackend` keeps, as cases for any test framework.
///
/// ```swift
/// @Test(arguments: TokenCacheContract.cases)
/// func keeps(_ rule: ContractCase) async throws {
///   let backend = MyBackend()
///   try await rule.check(
///     ContractEnvironment(backend: backend, other: backend, plant: { await backend.plant($0, for: $1) }))
/// }
/// ```
public enum TokenCacheContract {
  /// Every case.
  ///
  /// Each needs an empty back end of its own.
  public static let cases: [ContractCase] =
    recordCases + hostileCases + cacheCases + concurrencyCases + changeCases
}
