// SPDX-License-Identifier: MIT

/// The classes that may occur in an archive of ADAL's.
///
/// They are compared by name and never instantiated.
enum ArchivedClass: String, CaseIterable {
  case string = "NSString"
  case mutableString = "NSMutableString"
  case date = "NSDate"
  case data = "NSData"
  case mutableData = "NSMutableData"
  case number = "NSNumber"
  case null = "NSNull"
  case array = "NSArray"
  case mutableArray = "NSMutableArray"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  /// A cache item.
  case item = "ADTokenCacheStoreItem"
  /// The key of an item in the serialized cache.
  case key = "ADTokenCacheKey"
  /// The user of an item.
  case user = "ADUserInformation"
  /// A broker's token for the whole device.
  case primaryRefreshToken = "ADBrokerPRTCacheItem"

  /// The names of the class and its superclasses, the class first.
  var hierarchy: [String] {
    switch self {
    case .mutableString: [rawValue, Self.string.rawValue, "NSObject"]
    case .mutableData: [rawValue, Self.data.rawValue, "NSObject"]
    case .number: [rawValue, "NSValue", "NSObject"]
    case .mutableArray: [rawValue, Self.array.rawValue, "NSObject"]
    case .mutableDictionary: [rawValue, Self.dictionary.rawValue, "NSObject"]
    default: [rawValue, "NSObject"]
    }
  }
}
