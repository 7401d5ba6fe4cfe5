import Foundation
import Kingfisher

/// The report of `kf info`; encodes to its `--json` line.
struct InfoReport: Report {
    private let title: String
    private let source: String
    private let info: ImageFileInfo
    private let photograph: ImageMetadata.Photograph?
    private let byteCount: Int?

    init(
        _ source: PictureSource,
        _ info: ImageFileInfo,
        _ photograph: ImageMetadata.Photograph?,
        byteCount: Int?
    ) {
        self.photograph = photograph
        title = source.title
        self.source = source.text
        self.info = info
        self.byteCount = byteCount
    }

    enum CodingKeys: CodingKey {
        case source, format, width, height, storedWidth, storedHeight, orientation, frames, loops
        case duration, alpha, progressive, bitsPerChannel, colorProfile, bytes
        case date, latitude, longitude, camera
    }

    // Not synthesized: the synthesized method omits nil, but the output always has all fields.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        try values.encode(info.formatName, forKey: .format)
        try values.encode(Int(info.size.width), forKey: .width)
        try values.encode(Int(info.size.height), forKey: .height)
        try values.encode(Int(info.storedSize.width), forKey: .storedWidth)
        try values.encode(Int(info.storedSize.height), forKey: .storedHeight)
        try values.encode(info.orientation, forKey: .orientation)
        try values.encode(info.frameCount, forKey: .frames)
        try values.encode(info.loopCount, forKey: .loops)
        try values.encode(info.duration, forKey: .duration)
        try values.encode(info.hasAlpha, forKey: .alpha)
        try values.encode(info.isProgressive, forKey: .progressive)
        try values.encode(info.bitsPerChannel, forKey: .bitsPerChannel)
        try values.encode(info.hasColorProfile, forKey: .colorProfile)
        try values.encode(byteCount, forKey: .bytes)
        try values.encode(date, forKey: .date)
        try values.encode(photograph?.latitude, forKey: .latitude)
        try values.encode(photograph?.longitude, forKey: .longitude)
        try values.encode(photograph?.camera, forKey: .camera)
    }

    /// The text report; omits the usual values.
    func summary() -> String {
        let progressive =
            info.isProgressive ? (info.format == .PNG ? "interlaced " : "progressive ") : ""
        let kind = progressive + info.formatName.uppercased()
        var lines = [
            title,
            "  image    \(Self.pixels(info.size)), \(kind)"
                + (byteCount.map { ", " + Readable.bytes($0) } ?? ""),
            "  colour   \(colour)",
        ]
        if info.orientation != 1 {
            let stored = "stored as \(Self.pixels(info.storedSize))"
            lines.append("  turned   Exif \(info.orientation), \(stored)")
        }
        if let frames = info.frameCount, frames > 1 {
            lines.append("  frames   \(frames)\(timing)")
        } else if info.frameCount == nil {
            let isShort = byteCount.map { $0 < InputFile.mostBytesForFrames } ?? false
            let reason = isShort ? "the file ends early" : "more than 64 MiB would have to be read"
            lines.append("  frames   unknown (\(reason))")
        }
        let taken = [date, photograph?.camera].compactMap { $0 }
        if !taken.isEmpty { lines.append("  taken    \(taken.joined(separator: ", "))") }
        if let latitude = photograph?.latitude, let longitude = photograph?.longitude {
            lines.append(String(format: "  place    %.5f, %.5f", latitude, longitude))
        }
        return lines.joined(separator: "\n")
    }

    /// The date with hyphens, as everywhere but in Exif.
    private var date: String? {
        photograph?.date.map { text in
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            let day = (parts.first ?? "").replacingOccurrences(of: ":", with: "-")
            return ([day] + parts.dropFirst()).joined(separator: " ")
        }
    }

    private var colour: String {
        var parts = ["\(info.bitsPerChannel) bits per channel"]
        if info.hasAlpha { parts.append("transparency") }
        if info.hasColorProfile { parts.append("ICC profile") }
        return parts.joined(separator: ", ")
    }

    private var timing: String {
        let time = info.duration.map { " in \(Readable.milliseconds($0 * 1000))" } ?? ""
        let loops =
            switch info.loopCount {
            case nil: ""
            case 0: ", forever"
            case 1: ", once"
            case let count?: ", \(count) times"
            }
        return time + loops
    }

    private static func pixels(_ size: CGSize) -> String {
        "\(Int(size.width)) × \(Int(size.height)) pixels"
    }
}
