import CKFDeflate
import KFPixels

/// The samples of a PNG as rows of bytes, without filters.
struct PNGSamples {
    private let size: PixelSize
    private(set) var colorType: Int
    private(set) var bits: Int
    private(set) var palette: [UInt8]
    private(set) var alphas: [UInt8]
    private var rows: [UInt8]

    private static let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]

    /// Inflates and unfilters the pixels of a file that is not interlaced.
    ///
    /// - Throws: ``CodecError`` if they are damaged.
    init(
        _ header: PNGHeader,
        _ stream: [UInt8],
        palette: [UInt8],
        alphas: [UInt8]
    ) throws(CodecError) {
        guard let channels = Self.channels[header.colorType],
            [1, 2, 4, 8, 16].contains(header.bitsPerChannel)
        else { throw .corrupt(.png, detail: "an unknown kind of pixels") }
        size = header.size
        colorType = header.colorType
        bits = header.bitsPerChannel
        self.palette = palette
        self.alphas = alphas
        let rowBytes = (size.width * channels * bits + 7) / 8
        let byteCount = (rowBytes + 1).multipliedSaturating(by: size.height)
        try DecodeLimits.default.check(workingBytes: byteCount)
        rows = []
        rows = try Self.inflated(stream, byteCount)
        try unfilter(rowBytes, step: max(1, channels * bits / 8))
    }

    private init(_ other: PNGSamples, colorType: Int, bits: Int, rows: [UInt8]) {
        size = other.size
        self.colorType = colorType
        self.bits = bits
        palette = []
        alphas = []
        self.rows = rows
    }

    private var channels: Int { Self.channels[colorType] ?? 1 }
    private var rowBytes: Int { (size.width * channels * bits + 7) / 8 }
    /// The distance of the bytes that filters compare.
    private var step: Int { max(1, channels * bits / 8) }

    /// The bytes of the palette's chunks.
    var paletteBytes: Int {
        [palette, alphas].reduce(0) { $0 + ($1.isEmpty ? 0 : $1.count + 12) }
    }

    private static func inflated(_ stream: [UInt8], _ count: Int) throws(CodecError) -> [UInt8] {
        guard let inflater = libdeflate_alloc_decompressor() else {
            throw .pixels(.outOfMemory(bytes: count))
        }
        defer { libdeflate_free_decompressor(inflater) }
        var result = LIBDEFLATE_BAD_DATA
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            result = libdeflate_zlib_decompress(
                inflater,
                stream,
                stream.count,
                buffer.baseAddress,
                count,
                nil
            )
            written = result == LIBDEFLATE_SUCCESS ? count : 0
        }
        guard result == LIBDEFLATE_SUCCESS else {
            throw .corrupt(.png, detail: "the pixels cannot be inflated")
        }
        return bytes
    }

    /// Undoes the filters in place, and removes their numbers.
    private mutating func unfilter(_ count: Int, step: Int) throws(CodecError) {
        var plain = [UInt8](repeating: 0, count: count * size.height)
        var isValid = true
        rows.withUnsafeBufferPointer { filtered in
            plain.withUnsafeMutableBufferPointer { plain in
                for y in 0..<size.height {
                    let source = y * (count + 1)
                    let target = y * count
                    let kind = filtered[source]
                    isValid = isValid && kind <= 4
                    for x in 0..<count {
                        let left = x >= step ? Int(plain[target + x - step]) : 0
                        let above = y > 0 ? Int(plain[target + x - count]) : 0
                        let corner = x >= step && y > 0 ? Int(plain[target + x - count - step]) : 0
                        let guess =
                            switch kind {
                            case 1: left
                            case 2: above
                            case 3: (left + above) / 2
                            case 4: Self.paeth(left, above, corner)
                            default: 0
                            }
                        plain[target + x] = filtered[source + 1 + x] &+ UInt8(guess)
                    }
                }
            }
        }
        guard isValid else { throw .corrupt(.png, detail: "an unknown filter") }
        rows = plain
    }

    @inline(__always)
    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let estimate = left + above - corner
        let distances = (abs(estimate - left), abs(estimate - above), abs(estimate - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }

    // MARK: - Fewer channels

    /// The same pixels with fewer channels, or with a palette, and as they are.
    func reductions(allowsGray: Bool) -> [PNGSamples] {
        // A colour that stands for transparency is one of the samples.
        guard bits == 8, colorType != 3, alphas.isEmpty else { return [self] }
        var smallest = self
        if channels == 2 || channels == 4, isOpaque { smallest = smallest.dropping(alpha: true) }
        if allowsGray, smallest.channels >= 3, smallest.isGray {
            smallest = smallest.dropping(alpha: false)
        }
        return [smallest] + (indexed().map { [$0] } ?? [])
    }

    private var isOpaque: Bool {
        stride(from: channels - 1, to: rows.count, by: channels).allSatisfy { rows[$0] == 255 }
    }

    private var isGray: Bool {
        for pixel in stride(from: 0, to: rows.count, by: channels) {
            let red = rows[pixel]
            guard rows[pixel + 1] == red, rows[pixel + 2] == red else { return false }
        }
        return true
    }

    /// Without alpha, or with one channel of grey instead of three.
    private func dropping(alpha: Bool) -> PNGSamples {
        let kept = alpha ? Array(0..<(channels - 1)) : [0] + (channels == 4 ? [3] : [])
        var fewer: [UInt8] = []
        fewer.reserveCapacity(rows.count / channels * kept.count)
        for pixel in stride(from: 0, to: rows.count, by: channels) {
            for channel in kept { fewer.append(rows[pixel + channel]) }
        }
        let types = [1: 0, 2: 4, 3: 2, 4: 6]
        return PNGSamples(self, colorType: types[kept.count] ?? colorType, bits: 8, rows: fewer)
    }

    /// With a palette; nil if there are more than 256 colours.
    private func indexed() -> PNGSamples? {
        var numbers: [UInt32: Int] = [:]
        for pixel in stride(from: 0, to: rows.count, by: channels) {
            let color = color(at: pixel)
            guard numbers[color] == nil else { continue }
            guard numbers.count < 256 else { return nil }
            numbers[color] = numbers.count
        }
        // Colours that are not opaque come first; missing alphas are opaque.
        let colors = numbers.keys.sorted { ($0 >> 24, $0) < ($1 >> 24, $1) }
        for (index, color) in colors.enumerated() { numbers[color] = index }
        let depth = [1, 2, 4].first { colors.count <= 1 << $0 } ?? 8
        let count = (size.width * depth + 7) / 8
        var packed = [UInt8](repeating: 0, count: count * size.height)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let index = numbers[color(at: (y * size.width + x) * channels)] ?? 0
                let shift = 8 - depth - x * depth % 8
                packed[y * count + x * depth / 8] |= UInt8(index << shift)
            }
        }
        var result = PNGSamples(self, colorType: 3, bits: depth, rows: packed)
        result.palette = colors.flatMap { color in
            [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        }
        result.alphas = colors.map { UInt8($0 >> 24) }.filter { $0 < 255 }
        return result
    }

    /// A pixel of 8 bits per channel as red, green, blue and alpha, red in the lowest byte.
    private func color(at pixel: Int) -> UInt32 {
        let isGray = channels < 3
        let red = UInt32(rows[pixel])
        let green = isGray ? red : UInt32(rows[pixel + 1])
        let blue = isGray ? red : UInt32(rows[pixel + 2])
        let alpha: UInt32 = channels % 2 == 0 ? UInt32(rows[pixel + channels - 1]) : 255
        return red | green << 8 | blue << 16 | alpha << 24
    }

    // MARK: - Compression

    /// The shortest stream of filtered rows; nil unless it is shorter than `most`.
    ///
    /// Every filter is tried for all rows, and the best for each. The best two are compressed as far
    /// as libdeflate can.
    func compressed(atMost most: Int) throws(CodecError) -> [UInt8]? {
        var trials: [(kind: UInt8?, count: Int)] = []
        for kind in [nil, 0, 1, 2, 3, 4] as [UInt8?] {
            let filtered = filtered(kind)
            let count = Self.deflated(filtered, level: 5)?.count ?? .max
            trials.append((kind, count))
        }
        var best: [UInt8]?
        for trial in trials.sorted(by: { $0.count < $1.count }).prefix(2) {
            guard let stream = Self.deflated(filtered(trial.kind), level: 12) else {
                throw .encodingFailed(.png, detail: "no memory")
            }
            if stream.count < best?.count ?? most { best = stream }
        }
        return best
    }

    /// The rows with a filter; nil for the one that seems best for each row.
    private func filtered(_ kind: UInt8?) -> [UInt8] {
        let (count, margin) = (rowBytes, 16)
        var scratch = [UInt8](repeating: 0, count: (count + margin) * 3)
        return [UInt8](unsafeUninitializedCapacity: (count + 1) * size.height) { target, written in
            written = (count + 1) * size.height
            guard let out = target.baseAddress else { return }
            rows.withUnsafeBufferPointer { rows in
                scratch.withUnsafeMutableBufferPointer { scratch in
                    guard let base = scratch.baseAddress, let source = rows.baseAddress else {
                        return
                    }
                    var row = base + margin
                    var above = row + count + margin
                    let trial = above + count + margin
                    for y in 0..<size.height {
                        row.update(from: source + y * count, count: count)
                        let place = out + y * (count + 1)
                        if let kind {
                            place[0] = kind
                            PNGFilter.write(
                                kind,
                                row,
                                above: above,
                                count: count,
                                step: step,
                                to: place + 1
                            )
                        } else {
                            PNGFilter.writeBest(
                                row,
                                above: above,
                                count: count,
                                step: step,
                                to: place,
                                scratch: trial
                            )
                        }
                        swap(&row, &above)
                    }
                }
            }
        }
    }

    private static func deflated(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        let compression = PNGCompression.matches(level: level)
        let room = compression.bound(bytes.count)
        let stream = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count =
                buffer.baseAddress.map { target in
                    bytes.withUnsafeBufferPointer { source in
                        source.baseAddress.map {
                            compression.compress($0, bytes.count, to: target, room: room)
                        } ?? 0
                    }
                } ?? 0
        }
        return stream.isEmpty ? nil : stream
    }
}
