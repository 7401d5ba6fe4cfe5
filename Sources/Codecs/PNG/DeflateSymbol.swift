/// A length or a distance as deflate tells it.
///
/// Source: RFC 1951, section 3.2.5.
struct DeflateSymbol {
    let code: UInt32
    let extra: UInt32
    let extraBits: UInt32

    /// 3…258.
    @inline(__always)
    init(length: UInt32) {
        let value = length &- 3
        guard value >= 8, length < 258 else {
            // The longest has a code of its own.
            (code, extra, extraBits) = (length == 258 ? 285 : 257 &+ value, 0, 0)
            return
        }
        extraBits = 29 &- UInt32(truncatingIfNeeded: value.leadingZeroBitCount)
        code = 257 &+ 4 &+ extraBits &<< 2 &+ (value &>> extraBits & 3)
        extra = value & (1 &<< extraBits &- 1)
    }

    /// 1…32,768.
    @inline(__always)
    init(distance: UInt32) {
        let value = distance &- 1
        guard value >= 4 else {
            (code, extra, extraBits) = (value, 0, 0)
            return
        }
        extraBits = 30 &- UInt32(truncatingIfNeeded: value.leadingZeroBitCount)
        code = 2 &+ extraBits &<< 1 &+ (value &>> extraBits & 1)
        extra = value & (1 &<< extraBits &- 1)
    }
}
