// SPDX-License-Identifier: MIT

/// The classes that an archive of ADAL's may name.
///
/// They are compared by name; nothing is made of them.
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
  /// An item.
  case item = "ADTokenCacheStoreItem"
  /// An item's place in the serialised cache.
  case key = "ADTokenCacheKey"
  /// The user of an item.
  case user = "ADUserInformation"
  /// A broker's token for the whole device.
  case primaryRefreshToken = "ADBrokerPRTCacheItem"

  /// The classes that it is one of, itself first.
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
