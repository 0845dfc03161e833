// SPDX-License-Identifier: MIT

import CCurl

/// The decoding of a body that a server has compressed without being asked.
///
/// libcurl could decode it, but then refuses a plain body with a `Content-Encoding` that it does not know.
enum Inflation {
  /// A form of compressed data, as zlib's number for it: 15 bits of window, and what stands around the data.
  enum Form: Int32 {
    /// With the header of gzip or of zlib.
    case wrapped = 47
    /// Without a header.
    case raw = -15
  }

  /// Returns the content of a body in the form of gzip or zlib; `nil` when it is neither, or larger than a limit.
  ///
  /// A body that is cut gives what can be read of it. Of gzip there may be several members, and several layers.
  static func content(of body: [UInt8], limit: Int, layers: Int = 2) -> [UInt8]? {
    guard let content = content(of: body, as: .wrapped, limit: limit) else { return nil }
    return layers > 1 ? Self.content(of: content, limit: limit, layers: layers - 1) ?? content : content
  }

  /// Returns the content of a body in a form; `nil` when it isn't in that form, or larger than a limit.
  static func content(of body: [UInt8], as form: Form, limit: Int) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe ssc_inflate_init(&stream, form.rawValue) == Z_OK else { return nil }
    defer { unsafe inflateEnd(&stream) }
    var input = body
    var isRead = false
    let content = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
      unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        var result: Int32
        repeat {
          result = unsafe inflate(&stream, Z_SYNC_FLUSH)
          // A wrong checksum, at the end, takes nothing from the content.
          isRead =
            unsafe isRead || result == Z_STREAM_END || result == Z_DATA_ERROR
            || result == Z_OK && stream.avail_in == 0
        } while unsafe result == Z_STREAM_END && stream.avail_in > 0 && inflateReset(&stream) == Z_OK
      }
      count = unsafe output.count - Int(stream.avail_out)
    }
    return isRead && !content.isEmpty ? content : nil
  }
}
