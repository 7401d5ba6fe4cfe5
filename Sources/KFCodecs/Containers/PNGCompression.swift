import CKFCodecShims
import CKFDeflate
import KFPixels

/// The compression method for the rows of a PNG.
///
/// The filtered rows of a photograph hardly repeat, so that matches cost more bits than the bytes
/// themselves. Of 15 photographs, zlib's run-length strategy gave the smaller file for five, by up
/// to 5 %, in half of libdeflate's time; smooth ones became up to 20 % larger.
enum PNGCompression: Equatable {
    /// libdeflate's matches at level 0…12.
    case matches(level: Int)
    /// zlib with runs of one byte as its only matches.
    case runs

    /// The level for unfiltered rows: drawings are 5 % smaller than at 4 for hardly more time.
    static let plain = matches(level: 6)
    /// The level for filtered rows: 6 gains 1 % and takes half as long again.
    static let filtered = matches(level: 5)

    /// Chooses the better method for filtered rows by compressing a sample both ways.
    ///
    /// - Parameters:
    ///   - rows: All filtered rows.
    ///   - rowBytes: Bytes per row, including the filter's number.
    ///   - groups: The row numbers to sample.
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    init(
        sampling rows: UnsafePointer<UInt8>,
        rowBytes: Int,
        groups: [Range<Int>]
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
        // 0 if the result does not fit into `length` bytes.
        let areMatchesLonger = Self.filtered.compress(sample, count, to: place, room: length) == 0
        self = length > 0 && areMatchesLonger ? .runs : .filtered
    }

    /// The largest compressed size of `count` bytes.
    func bound(_ count: Int) -> Int {
        switch self {
        case .matches: libdeflate_zlib_compress_bound(nil, count)
        case .runs: kf_deflate_runs_bound(count)
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
            return kf_deflate_runs(bytes, count, target, room)
        }
    }
}
