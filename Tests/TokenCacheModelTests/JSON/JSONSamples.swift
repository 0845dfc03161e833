// SPDX-License-Identifier: MIT

/// Documents in the shape of a unified token cache, for the tests of the JSON layer.
enum JSONSamples {
  /// Pretty-printed by four spaces, with unknown fields of every kind, numbers that no machine type holds,
  /// escapes and text outside ASCII.
  static let cache = #"""
    {
        "Account": {
            "uid.utid-login.windows.net-contoso": {
                "username": "Zoë 𝄞 \"Z\" \\ \/ \u00e9\ud834\udd1e",
                "local_account_id": "object1234",
                "environment": "login.windows.net",
                "client_info": "eyJ1aWQiOiJ1aWQiLCAidXRpZCI6InV0aWQifQ=="
            }
        },
        "RefreshToken": {
            "uid.utid-login.windows.net-refreshtoken-my_client_id--s2 s1 s3": {
                "target": "s2 s1 s3",
                "secret": "a refresh token",
                "family_id": "1"
            }
        },
        "AccessToken": {
            "an-entry": {
                "foo": "bar"
            },
            "uid.utid-login.windows.net-accesstoken-my_client_id-contoso-s2 s1 s3": {
                "secret": "an access token",
                "cached_at": "1000",
                "expires_on": 4600,
                "extended_expires_on": 12345678901234567890
            }
        },
        "unknownEntity": {
            "field1": [1.0, 1e3, -0, 0.10, [], {}, [[null]]],
            "field2": {
                "on": true,
                "off": false,
                "none": null,
                "": ""
            }
        }
    }
    """#

  /// The same kinds of tokens in few bytes, so that a mutation is likely to hit the structure.
  static let compact =
    #"{"A":{"a key\n\u00e9":{"s":"a secret of Zoë 𝄞","t":"\ud834\udd1e"}}, "n":[1.0,-1e+3,120],"#
    + #" "u": {"x": true, "y": [null, {}, []]}, "v": "0123456789 / 0123456789"}"#

  /// Opens and closes as many arrays.
  static func nestedArrays(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  /// Nests as many objects, the innermost of which is empty.
  static func nestedObjects(_ depth: Int) -> String {
    String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
  }
}
