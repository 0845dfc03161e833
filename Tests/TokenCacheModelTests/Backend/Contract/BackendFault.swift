// SPDX-License-Identifier: MIT

import TokenCacheContract

/// A way in which a back end breaks a rule.
enum BackendFault: String, CaseIterable, CustomStringConvertible {
  case readsEmptyDocumentForNone
  case readsNothingFromFailedStore
  case readsEmptyBytesAsUnreadable
  case storesByAccountAndClient
  case ignoresCaseOfKeys
  case ignoresClientInQueries
  case listsOneRecordOnly
  case findsAllWithoutQueries
  case listsOncePerQuery
  case expandsBraces
  case cutsAt64Kilobytes
  case overwritesUnreadable
  case hidesUnreadable
  case failsToListUnreadable
  case failsToRemoveUnreadable
  case writesForItselfAlone
  case readsOnce
  case keepsInMemoryWhatOthersReplace
  case removesBeforeItWrites
  case writesUnchanged
  case removesAfterFailedChange
  case writesTooMuch
  case hidesErrorOfChange
  case failsToRemoveNothing
  case removesOtherRecords
  case writesWithoutLock
  case hasOwnWriteLock
  case removesWithoutLock
  case writesWholeStoreUnderLockOfKey
  case ignoresCancellation
  case listsSeveralToCancelled
  case leasesToCancelled
  case grantsEveryLease
  case hasOwnLeases
  case hasOneLeaseForAllKeys
  case hasOneLeaseInEachTask
  case takesWriteLockAsLease
  case readsUnderLease
  case removesUnderLease
  case waitsForLeaseForever
  case runsNothingAfterLeaseTimeout
  case keepsLeaseAfterError
  case waitsWhenCancelled
  case endsLeaseOfAnother
  case keepsLeaseOfTheDead
  case watchesNothing
  case watchesAfterCancellation

  /// The rule that it breaks.
  var rule: BackendRule {
    switch self {
    case .readsEmptyDocumentForNone: .absence
    case .readsEmptyBytesAsUnreadable: .emptyContent
    case .readsNothingFromFailedStore: .failedReads
    case .storesByAccountAndClient, .ignoresCaseOfKeys: .ownKeys
    case .ignoresClientInQueries, .listsOneRecordOnly, .findsAllWithoutQueries, .listsOncePerQuery: .queries
    case .expandsBraces, .cutsAt64Kilobytes: .verbatim
    case .overwritesUnreadable, .hidesUnreadable, .failsToListUnreadable, .failsToRemoveUnreadable:
      .unreadableRecords
    case .writesForItselfAlone: .sharing
    case .readsOnce, .keepsInMemoryWhatOthersReplace: .freshness
    case .removesBeforeItWrites: .wholeReads
    case .writesUnchanged: .unchanged
    case .removesAfterFailedChange, .hidesErrorOfChange: .failedChange
    case .writesTooMuch: .sizeLimit
    case .failsToRemoveNothing, .removesOtherRecords: .removal
    case .writesWithoutLock, .hasOwnWriteLock, .removesWithoutLock, .writesWholeStoreUnderLockOfKey:
      .writeLock
    case .ignoresCancellation, .listsSeveralToCancelled, .leasesToCancelled: .cancellation
    case .grantsEveryLease, .hasOwnLeases: .leaseExclusive
    case .hasOneLeaseForAllKeys, .hasOneLeaseInEachTask: .leasePerKey
    case .takesWriteLockAsLease, .readsUnderLease, .removesUnderLease: .leaseApart
    case .waitsForLeaseForever, .runsNothingAfterLeaseTimeout: .leaseLimit
    case .keepsLeaseAfterError, .waitsWhenCancelled, .endsLeaseOfAnother: .leaseEnd
    case .keepsLeaseOfTheDead: .leaseDeath
    case .watchesNothing, .watchesAfterCancellation: .watch
    }
  }

  var description: String { "\(rawValue) breaks \(rule.rawValue)" }
}
