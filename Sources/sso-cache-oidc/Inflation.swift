// SPDX-License-Identifier: MIT

import CCurl

/// The decoding of a body that a server has compressed without being asked.
///
/// libcurl could decode it, but then refuses a plain body with a `Content-Encoding` that it does not know.
enum Inflation {
  /// Returns the content of a body in the form of gzip or zlib; `nil` when it is neither, or larger than a limit.
  ///
  /// A body that is cut gives what can be read of it.
  static func content(of body: [UInt8], limit: Int) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe ssc_inflate_init(&stream) == Z_OK else { return nil }
    defer { unsafe inflateEnd(&stream) }
    var input = body
    var isRead = false
    let content = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
      unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        let result = unsafe inflate(&stream, Z_SYNC_FLUSH)
        isRead = unsafe result == Z_STREAM_END || result == Z_OK && stream.avail_in == 0
      }
      count = unsafe Int(stream.total_out)
    }
    return isRead && !content.isEmpty ? content : nil
  }
}
