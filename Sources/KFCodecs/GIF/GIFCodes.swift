/// Decodes the pixels of a GIF frame whose codes begin with 9 to 11 bits.
///
/// Such files are written by few programs, and shown by browsers; giflib decodes all others.
///
/// Source: CompuServe, Graphics Interchange Format, Version 89a, appendix F (LZW).
struct GIFCodes {
    private let reader: ByteReader
    private var offset: Int
    /// The bytes that are left of the sub-block.
    private var left = 0
    private var bits = 0
    private var bitCount = 0
    private let minimum: Int
    private var width: Int
    private var next: Int
    private var previous: Int?
    private var prefixes = [UInt16](repeating: 0, count: 4096)
    private var suffixes = [UInt8](repeating: 0, count: 4096)
    /// The decoded pixels that were not delivered yet, the last one first.
    private var pending: [UInt8] = []

    /// Nil unless the codes of a frame begin with 9 to 11 bits.
    init?(_ bytes: UnsafeRawBufferPointer, of frame: GIFHeader.Frame) {
        reader = ByteReader(bytes, .little)
        guard let flags = reader.u8(at: frame.offset + 9) else { return nil }
        let table = flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0
        guard let size = reader.u8(at: frame.offset + 10 + table), (9...11).contains(size) else {
            return nil
        }
        offset = frame.offset + 11 + table
        minimum = size
        width = size + 1
        next = (1 << size) + 2
        for value in 0..<(1 << size) { suffixes[value] = UInt8(truncatingIfNeeded: value) }
    }

    /// Fills a line; false if the codes end before, or are invalid.
    mutating func fill(_ line: inout [UInt8]) -> Bool {
        var x = 0
        while x < line.count {
            if let pixel = pending.popLast() {
                line[x] = pixel
                x += 1
            } else if !readCode() {
                return false
            }
        }
        return true
    }

    /// Decodes the next code to ``pending``.
    private mutating func readCode() -> Bool {
        let (clear, end) = (1 << minimum, (1 << minimum) + 1)
        guard let code = nextBits(), code != end else { return false }
        guard code != clear else {
            width = minimum + 1
            next = clear + 2
            previous = nil
            return true
        }
        guard let last = previous else {
            guard code < clear else { return false }
            pending.append(suffixes[code])
            previous = code
            return true
        }
        guard code <= next, code < 4096, code < next || next < 4096 else { return false }
        // A code that is defined by itself repeats the first pixel of the one before.
        var step = code == next ? last : code
        if code == next { pending.append(0) }
        while step >= clear {
            pending.append(suffixes[step])
            step = Int(prefixes[step])
        }
        pending.append(suffixes[step])
        if code == next { pending[0] = suffixes[step] }
        if next < 4096 {
            prefixes[next] = UInt16(last)
            suffixes[next] = suffixes[step]
            next += 1
            if next == 1 << width, width < 12 { width += 1 }
        }
        previous = code
        return true
    }

    private mutating func nextBits() -> Int? {
        while bitCount < width {
            if left == 0 {
                guard let count = reader.u8(at: offset), count > 0 else { return nil }
                left = count
                offset += 1
            }
            guard let byte = reader.u8(at: offset) else { return nil }
            bits |= byte << bitCount
            bitCount += 8
            offset += 1
            left -= 1
        }
        let code = bits & ((1 << width) - 1)
        bits >>= width
        bitCount -= width
        return code
    }
}
