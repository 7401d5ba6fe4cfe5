/// Bits of a deflate stream, lowest first.
struct DeflateBits {
    /// Where the next whole byte goes.
    private(set) var place: UnsafeMutablePointer<UInt8>
    private let end: UnsafeMutablePointer<UInt8>
    private var waiting: UInt64 = 0
    private var count: UInt64 = 0

    init(_ target: UnsafeMutablePointer<UInt8>, room: Int) {
        place = target
        end = target + room
    }

    /// Whether so many more bits fit, with the eight bytes that are written at a time.
    func hasRoom(bits: Int) -> Bool { end - place >= bits / 8 + 16 }

    /// Adds bits to those that wait for ``flush()``; no more than 56 may.
    @inline(__always)
    mutating func add(_ bits: UInt32, _ length: UInt32) {
        waiting |= UInt64(bits) &<< count
        count &+= UInt64(length)
    }

    /// Adds the code of a symbol, see ``HuffmanCode/entries``.
    @inline(__always)
    mutating func add(_ entry: UInt32) { add(entry &>> 8, entry & 0xFF) }

    /// Writes the whole bytes among those that wait.
    @inline(__always)
    mutating func flush() {
        UnsafeMutableRawPointer(place).storeBytes(of: waiting.littleEndian, as: UInt64.self)
        place += Int(count &>> 3)
        waiting &>>= count & ~7
        count &= 7
    }

    /// Fills up the last byte.
    mutating func finish() {
        count = (count + 7) & ~7
        flush()
    }
}
