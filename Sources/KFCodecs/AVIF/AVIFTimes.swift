import FoundationEssentials

/// The times of an animation: those of the file, its tracks and their media.
///
/// libavif writes when it encoded, so that the same pixels gave another file each second.
///
/// Source: ISO/IEC 14496-12, sections 8.2.2, 8.3.2 and 8.4.2.
enum AVIFTimes {
    /// The file with the time 0, which says nothing.
    static func removed(from file: Data) -> Data {
        let places = file.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, .big)
            return Self.places(reader, in: 0..<reader.count)
        }
        var bytes = [UInt8](file)
        for place in places {
            bytes.replaceSubrange(place, with: repeatElement(0, count: place.count))
        }
        return Data(bytes)
    }

    private static let parents: [StaticString] = ["moov", "trak", "mdia"]
    private static let timed: [StaticString] = ["mvhd", "tkhd", "mdhd"]

    /// The places of the times: each timed box has two, after its version and flags.
    private static func places(_ reader: ByteReader, in range: Range<Int>) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var offset = range.lowerBound
        while let box = AVIFBoxes.box(reader, at: offset, within: range.upperBound) {
            offset = box.end
            let body = box.body..<box.end
            if parents.contains(where: { reader.has($0, at: box.type) }) {
                places += self.places(reader, in: body)
            } else if timed.contains(where: { reader.has($0, at: box.type) }),
                let version = reader.u8(at: box.body)
            {
                let times = box.body + 4..<box.body + 4 + (version == 1 ? 16 : 8)
                if times.upperBound <= box.end { places.append(times) }
            }
        }
        return places
    }
}
