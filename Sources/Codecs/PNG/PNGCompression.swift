import CDeflate
import CZlib
import Pixels

/// How the rows of a PNG are compressed.
///
/// The differences that filters leave of a photograph hardly repeat: what libdeflate finds to match
/// is short, and costs more bits than the bytes themselves. Runs alone, which only zlib can be told
/// to look for, made such files 2–6 % smaller in less time. Everything else wants matches.
enum PNGCompression: Equatable {
    /// libdeflate's matches, 0…12.
    case matches(level: Int)
    /// Runs of one byte.
    case runs

    /// The better of both for rows that are filtered, by a sample of them.
    init(
        sampling rows: UnsafePointer<UInt8>,
        rowBytes: Int,
        groups: [Range<Int>],
        level: Int
    ) throws(CodecError) {
        let count = groups.reduce(0) { $0 + $1.count } * rowBytes
        let room = Self.runs.bound(count)
        let memory = try PixelStorage.forEncoding(count + room)
        let sample = memory.base.assumingMemoryBound(to: UInt8.self)
        var place = sample
        for group in groups {
            place.update(from: rows + group.lowerBound * rowBytes, count: group.count * rowBytes)
            place += group.count * rowBytes
        }
        let length = Self.runs.compress(sample, count, to: place, room: room)
        let matches = Self.matches(level: level)
        // 0 when it does not fit into as many bytes.
        let areMatchesLonger = matches.compress(sample, count, to: place, room: length) == 0
        self = length > 0 && areMatchesLonger ? .runs : matches
    }

    /// The most bytes that `count` can become.
    func bound(_ count: Int) -> Int {
        switch self {
        case .matches: libdeflate_zlib_compress_bound(nil, count)
        case .runs: Int(deflateBound(nil, uLong(count)))
        }
    }

    /// Writes a zlib stream.
    ///
    /// - Returns: Its length, or 0 if there is not enough room or memory.
    func compress(
        _ bytes: UnsafePointer<UInt8>,
        _ count: Int,
        to target: UnsafeMutablePointer<UInt8>,
        room: Int
    ) -> Int {
        switch self {
        case .matches(let level):
            guard let compressor = libdeflate_alloc_compressor(Int32(level)) else { return 0 }
            defer { libdeflate_free_compressor(compressor) }
            return libdeflate_zlib_compress(compressor, bytes, count, target, room)
        case .runs:
            return Self.compressRuns(bytes, count, to: target, room: room)
        }
    }

    private static func compressRuns(
        _ bytes: UnsafePointer<UInt8>,
        _ count: Int,
        to target: UnsafeMutablePointer<UInt8>,
        room: Int
    ) -> Int {
        var stream = z_stream()
        // The level does not matter to the strategy. 15: the window that PNG asks for. 9: the
        // largest blocks, as one set of codes fits many rows.
        let status = deflateInit2_(
            &stream,
            6,
            Z_DEFLATED,
            15,
            9,
            Z_RLE,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { return 0 }
        defer { deflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.next_out = target
        // The stream's counters have 32 bits.
        var (left, free) = (count, room)
        while true {
            let (input, output) = (UInt32(clamping: left), UInt32(clamping: free))
            (stream.avail_in, stream.avail_out) = (input, output)
            let isLast = Int(input) == left
            let status = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            left -= Int(input - stream.avail_in)
            free -= Int(output - stream.avail_out)
            if status == Z_STREAM_END { return room - free }
            guard status == Z_OK, free > 0 else { return 0 }
        }
    }
}
