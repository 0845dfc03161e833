// SPDX-License-Identifier: MIT

import TokenCacheContract

/// A way in which a back end breaks a rule.
enum BackendFault: String, CaseIterable, CustomStringConvertible {
  case readsEmptyDocumentForNone
  case readsEmptyBytesAsUnreadable
  case storesByAccountAndClient
  case ignoresClientInQueries
  case expandsBraces
  case overwritesUnreadable
  case hidesUnreadable
  case failsToListUnreadable
  case writesForItselfAlone
  case readsOnce
  case keepsInMemoryWhatOthersReplace
  case removesBeforeItWrites
  case writesUnchanged
  case removesAfterFailedChange
  case writesTooMuch
  case hidesErrorOfChange
  case failsToRemoveNothing
  case removesNeighbours
  case writesWithoutLock
  case hasOwnWriteLock
  case ignoresCancellation
  case leasesToCancelled
  case grantsEveryLease
  case hasOwnLeases
  case hasOneLeaseForAllKeys
  case takesWriteLockAsLease
  case waitsForLeaseForever
  case keepsLeaseAfterError
  case waitsWhenCancelled
  case endsLeaseOfAnother
  case keepsLeaseOfTheDead
  case watchesNothing

  /// The rule that it breaks.
  var rule: BackendRule {
    switch self {
    case .readsEmptyDocumentForNone: .absence
    case .readsEmptyBytesAsUnreadable: .emptyContent
    case .storesByAccountAndClient: .ownKeys
    case .ignoresClientInQueries: .queries
    case .expandsBraces: .verbatim
    case .overwritesUnreadable, .hidesUnreadable, .failsToListUnreadable: .unreadableRecords
    case .writesForItselfAlone: .sharing
    case .readsOnce, .keepsInMemoryWhatOthersReplace: .freshness
    case .removesBeforeItWrites: .wholeReads
    case .writesUnchanged: .unchanged
    case .removesAfterFailedChange, .hidesErrorOfChange: .failedChange
    case .writesTooMuch: .sizeLimit
    case .failsToRemoveNothing, .removesNeighbours: .removal
    case .writesWithoutLock, .hasOwnWriteLock: .writeLock
    case .ignoresCancellation, .leasesToCancelled: .cancellation
    case .grantsEveryLease, .hasOwnLeases: .leaseExclusive
    case .hasOneLeaseForAllKeys: .leasePerKey
    case .takesWriteLockAsLease: .leaseApart
    case .waitsForLeaseForever: .leaseLimit
    case .keepsLeaseAfterError, .waitsWhenCancelled, .endsLeaseOfAnother: .leaseEnd
    case .keepsLeaseOfTheDead: .leaseDeath
    case .watchesNothing: .watch
    }
  }

  var description: String { "\(rawValue) breaks \(rule.rawValue)" }
}
