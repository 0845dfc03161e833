// SPDX-License-Identifier: MIT

extension JSONReader {
  /// Reads the string whose opening quotation mark is at the current position (RFC 8259, section 7).
  mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
    position += 1
    let start = position
    let hasEscapes = try findClosingQuote(bytes)
    let raw = start..<position
    let result = hasEscapes ? try unescape(bytes, raw) : try text(bytes, raw)
    position = raw.upperBound + 1
    return result
  }

  /// Copies a range of the document; throws if it is not well-formed UTF-8.
  func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      if isLenient { return String(decoding: range.map { bytes[$0] }, as: UTF8.self) }
      throw JSONError(reason: .invalidUTF8, offset: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  /// Moves to the closing quotation mark and returns whether there are escape sequences before it.
  private mutating func findClosingQuote(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    var hasEscapes = false
    var cursor = position
    while cursor < bytes.count {
      let byte = bytes[cursor]
      if byte == UInt8(ascii: "\"") {
        position = cursor
        return hasEscapes
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        cursor += 1
      } else if byte < 0x20, !isLenient {
        throw JSONError(reason: .controlCharacter, offset: cursor)
      }
      cursor += 1
    }
    throw JSONError(reason: .unexpectedEnd, offset: bytes.count)
  }

  /// Resolves the escape sequences in a range of the document; throws if it is not well-formed UTF-8.
  private mutating func unescape(_ bytes: Span<UInt8>, _ raw: Range<Int>) throws(JSONError) -> String {
    // Escape sequences are ASCII, so the range is well-formed if and only if the text between them is.
    do {
      _ = try UTF8Span(validating: bytes.extracting(raw))
    } catch {
      if !isLenient {
        throw JSONError(reason: .invalidUTF8, offset: raw.lowerBound + error.byteOffsets.lowerBound)
      }
    }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(raw.count)
    position = raw.lowerBound
    while position < raw.upperBound {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\\") {
        guard let scalar = try escape(bytes) else { continue }
        buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        buffer.append(byte)
        position += 1
      }
    }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Consumes the escape sequence at the current position: one escape, or two for a surrogate pair.
  ///
  /// - Returns: `nil` for a backslash that a lenient reader leaves out.
  private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar? {
    let start = position
    // There is a byte after the backslash: at least the closing quotation mark.
    switch bytes[start + 1] {
    case UInt8(ascii: "u"):
      return try unicodeEscape(bytes)
    case let byte:
      let scalar = Self.shortEscape(byte)
      if scalar == nil, !isLenient { throw failure(.invalidEscape) }
      position += scalar == nil ? 1 : 2
      return scalar
    }
  }

  private static func shortEscape(_ byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(byte)
    case UInt8(ascii: "b"): "\u{08}"
    case UInt8(ascii: "f"): "\u{0C}"
    case UInt8(ascii: "n"): "\u{0A}"
    case UInt8(ascii: "r"): "\u{0D}"
    case UInt8(ascii: "t"): "\u{09}"
    default: nil
    }
  }

  private mutating func unicodeEscape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    let start = position
    guard let first = try codeUnit(bytes) else { return "\u{FFFD}" }
    if let scalar = Unicode.Scalar(first) { return scalar }
    let error = JSONError(reason: .loneSurrogate, offset: start)
    guard first < 0xDC00, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    else {
      if isLenient { return "\u{FFFD}" }
      throw error
    }
    let end = position
    guard let second = try codeUnit(bytes), 0xDC00...0xDFFF ~= second else {
      guard isLenient else { throw error }
      position = end
      return "\u{FFFD}"
    }
    let code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    guard let scalar = Unicode.Scalar(code) else { throw error }
    return scalar
  }

  /// Consumes `\u` and four hexadecimal digits.
  ///
  /// - Returns: `nil` where a lenient reader finds other characters; it consumes `\u` only.
  private mutating func codeUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16? {
    var unit: UInt16 = 0
    for offset in 2..<6 {
      // The closing quotation mark ends the loop before the end of the document.
      let digit = Character(Unicode.Scalar(bytes[position + offset]))
      guard let value = digit.hexDigitValue else {
        guard isLenient else { throw failure(.invalidEscape) }
        position += 2
        return nil
      }
      unit = unit << 4 | UInt16(value)
    }
    position += 6
    return unit
  }
}
