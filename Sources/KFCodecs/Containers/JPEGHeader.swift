import CKFCodecShims
import KFPixels

/// The parts of a JPEG before its first scan.
///
/// Source: ITU-T T.81, annex B; ICC.1:2010, annex B.4.
struct JPEGHeader: Sendable {
    var size = PixelSize(width: 0, height: 0)
    var componentCount = 0
    var bitsPerChannel = 8
    var isProgressive = false
    var isLossless = false
    var isArithmeticallyCoded = false
    /// Whether the bytes include the start of the first scan, so that the header is complete.
    var isComplete = false
    var orientation = Orientation.up
    /// The products of the sampling factors summed over the components, and the product of the
    /// maxima.
    var sampling = (sum: 0, maxProduct: 1)
    /// The profile's pieces in file order, with their places in the file.
    var profileChunks: [(number: Int, place: Range<Int>)] = []

    // Real files have a few dozen segments. A file with more than this is an attack.
    static let maxSegmentCount = 10_000

    /// Walks the segments up to the first scan, or to the end of a prefix that holds the frame
    /// header.
    ///
    /// - Throws: ``CodecError``.
    init(parsing bytes: UnsafeRawBufferPointer) throws(CodecError) {
        HeaderParses.add()
        let reader = ByteReader(bytes, .big)
        var offset = 2
        var hasFrame = false
        for _ in 0..<Self.maxSegmentCount {
            guard let marker = Self.nextMarker(reader, &offset) else { break }
            if marker == 0xDA || marker == 0xD9 {
                guard hasFrame else { throw .corrupt(.jpeg, detail: "a scan without a frame") }
                isComplete = true
                return
            }
            // Markers without a length: restarts and TEM.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard let length = reader.u16(at: offset) else { break }
            // libjpeg treats a segment shorter than its length field as empty.
            let start = offset + 2
            guard let segment = reader.slice(at: start, count: max(0, length - 2)) else { break }
            offset += max(2, length)
            if Self.isFrame(marker) {
                try readFrame(ByteReader(segment, .big), marker)
                hasFrame = true
            } else {
                readApplicationData(ByteReader(segment, .big), marker, at: start)
            }
        }
        guard hasFrame else { throw .truncated(.jpeg) }
    }

    /// Whether libjpeg selects columns, leaves out rows, transcodes, and decodes while the file arrives.
    var isOrdinary: Bool { bitsPerChannel == 8 && !isLossless }

    /// - Throws: ``CodecError/missingLibrary(_:name:)`` if the installed libjpeg cannot decode the file.
    func checkLibrary() throws(CodecError) {
        guard isOrdinary || kf_jpeg_reads_deep() != 0 else {
            let what = isLossless ? "lossless files" : "\(bitsPerChannel) bits a sample"
            throw .missingLibrary(.jpeg, name: "libjpeg-turbo 3 for \(what)")
        }
    }

    /// Bytes of coefficients that libjpeg holds for a file of several scans.
    var coefficientBytes: Int {
        // 64 coefficients of 2 bytes per block; a component has blocks in proportion to its
        // factors.
        size.byteCount(bytesPerPixel: sampling.sum * 2) / sampling.maxProduct
    }

    /// Assembles the profile.
    ///
    /// - Parameter bytes: The bytes that the header was read from.
    /// - Returns: The profile; nil if there is none or a piece is missing.
    func assembledProfile(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard !profileChunks.isEmpty else { return nil }
        let chunks = profileChunks.sorted { $0.number < $1.number }
        guard chunks.enumerated().allSatisfy({ $0.offset + 1 == $0.element.number }) else {
            return nil
        }
        let reader = ByteReader(bytes, .big)
        return chunks.flatMap { chunk -> [UInt8] in
            reader.slice(at: chunk.place.lowerBound, count: chunk.place.count).map(Array.init) ?? []
        }
    }

    /// The code of the next marker, with the offset after it; nil at the end.
    static func nextMarker(_ reader: ByteReader, _ offset: inout Int) -> Int? {
        // Skips garbage between segments, as libjpeg does. FF may repeat as padding.
        while let byte = reader.u8(at: offset) {
            offset += 1
            guard byte == 0xFF, let code = reader.u8(at: offset) else { continue }
            guard code != 0xFF else { continue }
            offset += 1
            if code != 0 { return code }
        }
        return nil
    }

    // SOF0…SOF15 without DHT (C4), JPG (C8) and DAC (CC).
    private static func isFrame(_ marker: Int) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    private mutating func readFrame(_ reader: ByteReader, _ marker: Int) throws(CodecError) {
        guard let bits = reader.u8(at: 0), let height = reader.u16(at: 1),
            let width = reader.u16(at: 3), let count = reader.u8(at: 5)
        else { throw .corrupt(.jpeg, detail: "a short frame header") }
        guard [0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA].contains(marker) else {
            throw .unsupported(.jpeg, feature: "coding process \(marker & 0x0F)")
        }
        isLossless = marker == 0xC3
        guard isLossless ? (2...16).contains(bits) : bits == 8 || bits == 12 else {
            throw .unsupported(.jpeg, feature: "\(bits) bits a sample")
        }
        guard width > 0, height > 0 else {
            throw .corrupt(.jpeg, detail: "a size of \(width) × \(height)")
        }
        size = PixelSize(width: width, height: height)
        componentCount = count
        bitsPerChannel = bits
        isProgressive = marker == 0xC2 || marker == 0xCA
        isArithmeticallyCoded = marker == 0xC9 || marker == 0xCA
        var sum = 0
        var maximum = (horizontal: 1, vertical: 1)
        for component in 0..<count {
            let factors = reader.u8(at: 6 + component * 3 + 1) ?? 0x11
            sum += (factors >> 4) * (factors & 0x0F)
            maximum.horizontal = max(maximum.horizontal, factors >> 4)
            maximum.vertical = max(maximum.vertical, factors & 0x0F)
        }
        sampling = (sum, maximum.horizontal * maximum.vertical)
    }

    private mutating func readApplicationData(
        _ reader: ByteReader,
        _ marker: Int,
        at start: Int
    ) {
        switch marker {
        case 0xE1 where reader.has("Exif\0\0", at: 0):
            orientation = EXIFOrientation.parse(reader.bytes)
        case 0xE2 where reader.has("ICC_PROFILE\0", at: 0):
            // 255: a piece's number is one byte.
            guard let number = reader.u8(at: 12), reader.count > 14, profileChunks.count < 255
            else { return }
            profileChunks.append((number, start + 14..<start + reader.count))
        default:
            break
        }
    }
}

extension JPEGHeader {
    var hasProfile: Bool { !profileChunks.isEmpty }

    var info: ImageInfo {
        ImageInfo(
            format: .jpeg,
            storedSize: size,
            orientation: orientation,
            isProgressive: isProgressive,
            bitsPerChannel: bitsPerChannel,
            hasColorProfile: hasProfile
        )
    }
}
