import CDeflate
import Pixels

/// How the rows of a PNG are compressed.
///
/// The differences that filters leave of a photograph hardly repeat: what libdeflate finds to match
/// is short, and costs more bits than the bytes themselves; see ``SparseDeflate``. Everything else
/// wants matches.
enum PNGCompression: Equatable {
    /// libdeflate's matches, 0…12.
    case matches(level: Int)
    /// Runs, and such matches alone as pay off.
    case sparse

    /// The better of both for rows that are filtered, by a sample of them.
    init(
        sampling rows: UnsafePointer<UInt8>,
        rowBytes: Int,
        groups: [Range<Int>],
        level: Int
    ) throws(CodecError) {
        let count = groups.reduce(0) { $0 + $1.count } * rowBytes
        let room = Self.sparse.bound(count)
        let memory = try PixelStorage.forEncoding(count + room)
        let sample = memory.base.assumingMemoryBound(to: UInt8.self)
        var place = sample
        for group in groups {
            place.update(from: rows + group.lowerBound * rowBytes, count: group.count * rowBytes)
            place += group.count * rowBytes
        }
        let length = Self.sparse.compress(sample, count, to: place, room: room)
        let matches = Self.matches(level: level)
        // 0 when it does not fit into as many bytes.
        let areMatchesLonger = matches.compress(sample, count, to: place, room: length) == 0
        self = length > 0 && areMatchesLonger ? .sparse : matches
    }

    /// The most bytes that `count` can become.
    func bound(_ count: Int) -> Int {
        switch self {
        case .matches: libdeflate_zlib_compress_bound(nil, count)
        case .sparse: SparseDeflate.bound(count)
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
        case .sparse:
            return SparseDeflate.compress(bytes, count, to: target, room: room)
        }
    }
}
