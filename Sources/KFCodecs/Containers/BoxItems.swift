/// Counts the items of an AVIF or HEIF file before a library reads them.
///
/// Libraries search lists for each item: 40,000 tiles take libavif seconds, with none decoded.
///
/// Source: ISO/IEC 14496-12, 4.2, 8.11 and 8.12; ISO/IEC 23008-12, 9.3.
struct BoxItems {
    private let reader: ByteReader
    private let limits: DecodeLimits
    private var boxes = 0
    private var references = 0
    private var extents = 0
    private var tracks = 0

    /// Walks the boxes of a file, or of a prefix of one.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:allowed:)`` for the first limit exceeded.
    static func check(
        _ bytes: UnsafeRawBufferPointer,
        _ limits: DecodeLimits
    ) throws(CodecError) {
        var items = BoxItems(reader: ByteReader(bytes, .big), limits: limits)
        try items.walk(0..<bytes.count, depth: 0)
    }

    private init(reader: ByteReader, limits: DecodeLimits) {
        self.reader = reader
        self.limits = limits
    }

    /// The deepest box that is counted is a table of samples: moov, trak, mdia, minf, stbl, stts.
    private static let maxDepth = 8

    private mutating func walk(_ range: Range<Int>, depth: Int) throws(CodecError) {
        guard depth < Self.maxDepth else { return }
        var offset = range.lowerBound
        while let box = AVIFBoxes.box(reader, at: offset, within: range.upperBound) {
            boxes += 1
            try Self.check(boxes, .boxes)
            try read(box, depth: depth)
            offset = box.end
        }
    }

    private mutating func read(_ box: AVIFBoxes.Box, depth: Int) throws(CodecError) {
        let type = box.type
        // Version and flags come first in a full box.
        let version = reader.u8(at: box.body) ?? 0
        let content = box.body + 4
        func has(_ name: StaticString) -> Bool { reader.has(name, at: type) }
        if has("moov") || has("trak") || has("mdia") || has("minf") || has("stbl") || has("iprp") {
            if has("trak") {
                tracks += 1
                try Self.check(tracks, .tracks)
            }
            try walk(box.body..<box.end, depth: depth + 1)
        } else if has("meta") {
            try walk(content..<max(content, box.end), depth: depth + 1)
        } else if has("ipco") {
            try checkChildren(box.body..<box.end)
        } else if has("iinf") {
            try checkCount(at: content, bytes: version == 0 ? 2 : 4, .items)
        } else if has("ipma") {
            try checkCount(at: content, bytes: 4, .items)
        } else if has("iloc") {
            try readLocations(content, version, end: box.end)
        } else if has("iref") {
            try readReferences(content, isLong: version != 0, end: box.end)
        } else if ["stts", "stsc", "stss", "ctts", "stco", "co64"].contains(where: { has($0) }) {
            try checkFrames(reader.u32(at: content))
        } else if has("stsz") {
            try checkFrames(reader.u32(at: content + 4))
        }
    }

    private func checkFrames(_ count: Int?) throws(CodecError) {
        if let count { try limits.check(frameCount: count) }
    }

    private func checkCount(
        at offset: Int,
        bytes: Int,
        _ limit: CodecError.Limit
    ) throws(CodecError) {
        let count = bytes == 2 ? reader.u16(at: offset) : reader.u32(at: offset)
        if let count { try Self.check(count, limit) }
    }

    private func checkChildren(_ range: Range<Int>) throws(CodecError) {
        var (count, offset) = (0, range.lowerBound)
        while let box = AVIFBoxes.box(reader, at: offset, within: range.upperBound) {
            count += 1
            try Self.check(count, .properties)
            offset = box.end
        }
    }

    private mutating func readReferences(
        _ start: Int,
        isLong: Bool,
        end: Int
    ) throws(CodecError) {
        var offset = start
        while let box = AVIFBoxes.box(reader, at: offset, within: end) {
            references += reader.u16(at: box.body + (isLong ? 4 : 2)) ?? 0
            boxes += 1
            try Self.check(boxes, .boxes)
            try Self.check(references, .references)
            offset = box.end
        }
    }

    private mutating func readLocations(
        _ start: Int,
        _ version: Int,
        end: Int
    ) throws(CodecError) {
        guard let sizes = reader.u16(at: start) else { return }
        let (offsetBytes, lengthBytes) = (sizes >> 12, sizes >> 8 & 15)
        let (baseBytes, indexBytes) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        let isShort = version < 2
        let count = isShort ? reader.u16(at: start + 2) : reader.u32(at: start + 2)
        guard let count else { return }
        try Self.check(count, .items)
        var offset = start + (isShort ? 4 : 6)
        for _ in 0..<count {
            // The item's number, how its data are found, and where.
            offset += (isShort ? 2 : 4) + (version == 0 ? 0 : 2) + 2 + baseBytes
            guard offset < end, let number = reader.u16(at: offset) else { return }
            extents += number
            try Self.check(extents, .extents)
            offset += 2 + number * (offsetBytes + lengthBytes + indexBytes)
        }
    }

    private static func check(_ count: Int, _ limit: CodecError.Limit) throws(CodecError) {
        try ContainerLimits.check(count, limit)
    }
}
