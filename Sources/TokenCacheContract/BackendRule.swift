// SPDX-License-Identifier: MIT

/// A rule of `TokenCacheBackend`, by the name that the protocol's documentation gives it.
package enum BackendRule: String, Sendable, CaseIterable {
  case absence
  case failedReads = "failed-reads"
  case emptyContent = "empty-content"
  case ownKeys = "own-keys"
  case queries
  case verbatim
  case unreadableRecords = "unreadable-records"
  case sharing
  case freshness
  case wholeReads = "whole-reads"
  case unchanged
  case failedChange = "failed-change"
  case sizeLimit = "size-limit"
  case removal
  case writeLock = "write-lock"
  case cancellation
  case leaseExclusive = "lease-exclusive"
  case leasePerKey = "lease-per-key"
  case leaseApart = "lease-apart"
  case leaseLimit = "lease-limit"
  case leaseEnd = "lease-end"
  case leaseDeath = "lease-death"
  case watch
}
