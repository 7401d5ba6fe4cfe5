import FoundationEssentials

/// Removes the metadata of formats that consist of boxes.
///
/// Nothing moves in an AVIF or HEIF, because tables contain places: boxes and items become free
/// space of zeros. What is not known is an error, since it could be a preview or a track of places.
///
/// Source: ISO/IEC 14496-12, 4.2, 8.1 to 8.5 and 8.11; ISO/IEC 23008-12, 6.5 and 9.3; ISO/IEC
/// 18181-2, 9.
struct BoxRemoval {
    private let reader: ByteReader
    private let format: FileFormat
    /// What becomes free space.
    private var freed: [AVIFBoxes.Box] = []
    /// Types of items and properties that become `free`, and bytes that become zeros.
    private var renamed: [Int] = []
    private var cleared: [Range<Int>] = []

    /// An AVIF or HEIF with its pixels, colours and times alone.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for parts that are not known, such as previews;
    ///   ``CodecError/limitExceeded(_:value:allowed:)`` for too many items.
    static func bare(
        _ bytes: UnsafeRawBufferPointer,
        as format: FileFormat
    ) throws(CodecError) -> Data {
        try BoxItems.check(bytes, .default)
        var removal = BoxRemoval(reader: ByteReader(bytes, .big), format: format)
        try removal.readFile()
        var file = UntrustedBytes(Data(bytes))
        let name = Array("free".utf8)
        for place in removal.renamed {
            file.bytes.replaceSubrange(place..<place + 4, with: name)
        }
        for box in removal.freed {
            file.bytes.replaceSubrange(box.type..<box.type + 4, with: name)
            file.clear(at: box.body, count: box.end - box.body)
        }
        for range in removal.cleared { file.clear(at: range.lowerBound, count: range.count) }
        return Data(file.bytes)
    }

    /// A JPEG XL with its codestream alone, which states the orientation.
    static func bareJXL(_ bytes: UnsafeRawBufferPointer) -> Data {
        let reader = ByteReader(bytes, .big)
        guard reader.has("JXL ", at: 4) else { return Data(bytes) }
        return BoxMetadata.boxes(reader, 0..<reader.count).reduce(into: Data()) { file, box in
            let isNeeded = ["JXL ", "ftyp", "jxll", "jxli", "jxlc", "jxlp"].contains {
                reader.has($0, at: box.type)
            }
            if isNeeded { file.append(contentsOf: bytes[(box.type - 4)..<box.end]) }
        }
    }

    private init(reader: ByteReader, format: FileFormat) {
        (self.reader, self.format) = (reader, format)
    }

    private var unknown: CodecError { .unsupported(format, feature: "removing metadata") }

    private func has(_ names: [StaticString], _ place: Int) -> Bool {
        names.contains { reader.has($0, at: place) }
    }

    /// The boxes of a range whose last one is not cut off before its end.
    private func boxes(_ range: Range<Int>) throws(CodecError) -> [AVIFBoxes.Box] {
        let boxes = BoxMetadata.boxes(reader, range)
        guard boxes.last?.end ?? range.lowerBound == range.upperBound else { throw unknown }
        return boxes
    }

    private mutating func readFile() throws(CodecError) {
        for box in try boxes(0..<reader.count) {
            if has(["meta"], box.type) {
                try readItems(box)
            } else if has(["moov"], box.type) {
                try readFilm(box)
            } else if has(["uuid", "free", "skip", "udta"], box.type) {
                freed.append(box)
            } else if !has(["ftyp", "mdat"], box.type) {
                throw unknown
            }
        }
    }

    /// A film keeps its tracks of images, and loses its other boxes and the time when it was made.
    private mutating func readFilm(_ film: AVIFBoxes.Box) throws(CodecError) {
        for box in try boxes(film.body..<film.end) {
            if has(["trak"], box.type) {
                for part in try boxes(box.body..<box.end) { try readTrack(part) }
            } else if has(["mvhd"], box.type) {
                clearTimes(box)
            } else {
                if has(["meta"], box.type) { try readItems(box) }
                freed.append(box)
            }
        }
    }

    private mutating func readTrack(_ box: AVIFBoxes.Box) throws(CodecError) {
        if has(["tkhd"], box.type) {
            clearTimes(box)
        } else if has(["mdia"], box.type) {
            for part in try boxes(box.body..<box.end) {
                if has(["mdhd"], part.type) { clearTimes(part) }
                // Images, and their opacity; a track of sound or of places cannot be kept.
                let isForeign = has(["hdlr"], part.type) && !has(["pict", "auxv"], part.body + 8)
                guard !isForeign, has(["mdhd", "hdlr", "minf", "elng"], part.type) else {
                    throw unknown
                }
            }
        } else if !has(["edts", "tref"], box.type) {
            if has(["meta"], box.type) { try readItems(box) }
            freed.append(box)
        }
    }

    /// The times of making and of changing follow the version and the flags.
    private mutating func clearTimes(_ box: AVIFBoxes.Box) {
        let count = reader.u8(at: box.body) == 1 ? 16 : 8
        let start = min(box.body + 4, box.end)
        cleared.append(start..<min(box.end, start + count))
    }

    // MARK: - Items

    private mutating func readItems(_ meta: AVIFBoxes.Box) throws(CodecError) {
        let children = try boxes(min(meta.body + 4, meta.end)..<meta.end)
        func child(_ name: StaticString) -> AVIFBoxes.Box? {
            children.first { reader.has(name, at: $0.type) }
        }
        var removed: Set<Int> = []
        for box in children {
            if has(["iinf"], box.type) {
                let start = box.body + (reader.u8(at: box.body) == 0 ? 6 : 8)
                for entry in try boxes(min(start, box.end)..<box.end) {
                    if let item = try readItem(entry) { removed.insert(item) }
                }
            } else if has(["iprp"], box.type) {
                try readProperties(box)
            } else if has(["iref"], box.type) {
                // A preview of the whole image.
                let references = BoxMetadata.boxes(reader, min(box.body + 4, box.end)..<box.end)
                guard !references.contains(where: { has(["thmb"], $0.type) }) else { throw unknown }
            } else if has(["free", "skip", "uuid", "udta"], box.type) {
                freed.append(box)
            } else if !has(["hdlr", "pitm", "iloc", "idat", "grpl", "dinf"], box.type) {
                throw unknown
            }
        }
        guard !removed.isEmpty else { return }
        guard let places = child("iloc").flatMap({ ItemLocations(reader, $0) })?.entries else {
            throw unknown
        }
        for entry in places where removed.contains(entry.item) {
            let data = child("idat")
            guard entry.method == 0 || entry.method == 1 && data != nil else { throw unknown }
            let base = entry.base + (entry.method == 1 ? data?.body ?? 0 : 0)
            for piece in entry.pieces {
                let start = base + piece.place
                guard start + piece.length <= reader.count else { throw unknown }
                cleared.append(start..<start + piece.length)
            }
        }
    }

    /// Removes an item unless it is an image.
    ///
    /// - Returns: Its number, if its bytes are to be cleared.
    private mutating func readItem(_ entry: AVIFBoxes.Box) throws(CodecError) -> Int? {
        let version = reader.u8(at: entry.body)
        guard version == 2 || version == 3, has(["infe"], entry.type) else { throw unknown }
        let type = entry.body + (version == 2 ? 8 : 10)
        let item = version == 2 ? reader.u16(at: entry.body + 4) : reader.u32(at: entry.body + 4)
        guard let item, type + 4 <= entry.end else { throw unknown }
        if has(["av01", "hvc1", "grid", "iovl", "iden", "tmap"], type) { return nil }
        // Those that were removed before are free.
        guard has(["Exif", "mime", "uri ", "free"], type) else { throw unknown }
        renamed.append(type)
        cleared.append(type + 4..<entry.end)
        return item
    }

    /// The properties that say how an image is stored, coded and shown.
    private static let visible: [StaticString] = [
        "ispe", "pixi", "colr", "av1C", "hvcC", "lhvC", "auxC", "pasp", "clap", "irot", "imir",
        "rloc", "a1op", "a1lx", "lsel", "clli", "mdcv", "cclv", "amve", "ndwt", "reve",
    ]

    /// Removes descriptions and dates among the properties of the images.
    private mutating func readProperties(_ box: AVIFBoxes.Box) throws(CodecError) {
        for container in try boxes(box.body..<box.end) where has(["ipco"], container.type) {
            for property in try boxes(container.body..<container.end) {
                if has(["udes", "altt", "crtt", "mdft", "uuid", "free", "skip"], property.type) {
                    freed.append(property)
                } else if !has(Self.visible, property.type) {
                    throw unknown
                } else if has(["auxC"], property.type) {
                    // Besides opacity there are maps of depth, of persons and of light.
                    let name = reader.slice(
                        at: property.body + 4,
                        count: property.end - property.body - 4
                    )
                    let isOpacity = name.map { String(decoding: $0, as: UTF8.self) }.map {
                        $0.hasPrefix("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
                            || $0.hasPrefix("urn:mpeg:hevc:2015:auxid:1")
                    }
                    guard isOpacity == true else { throw unknown }
                }
            }
        }
    }
}
