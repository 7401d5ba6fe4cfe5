import Foundation
import Kingfisher

/// The report of `kf get` about a load; encodes to its `--json` line.
struct LoadReport: Report {
    /// The source for messages.
    let title: String
    /// The source as it was given.
    let source: String
    /// The key of the source; the cache appends the processors to it.
    let key: String
    /// `none`, `memory`, `disk`, or `original` for one that was made of the cached source.
    let cacheType: String
    /// Of the written file, or of the source without output; nil if that has no file of its own.
    let format: String?
    /// In pixels, after processing.
    let width: Int
    let height: Int
    let frames: Int
    /// Of the written file, or of the source without output; nil if that has no file of its own, or the
    /// cache has it no longer.
    let bytes: Int?
    let output: String?
    /// Whether the source ended before all pixels were there.
    let truncated: Bool
    let timings: Timings

    /// Milliseconds by stage; null for a stage that was not needed.
    struct Timings: Encodable {
        let lookup: Double?
        let fetch: Double?
        let process: Double?
        let store: Double?
        /// Making the file that is written.
        let encode: Double?
        let total: Double?

        init(_ timings: LoadTimings, encode encoding: Duration?) {
            lookup = timings.lookup.map(Self.milliseconds)
            fetch = timings.fetch.map(Self.milliseconds)
            process = timings.process.map(Self.milliseconds)
            store = timings.store.map(Self.milliseconds)
            encode = encoding.map(Self.milliseconds)
            total = timings.total.map { Self.milliseconds($0 + (encoding ?? .zero)) }
        }

        /// Rounded to microseconds; finer digits are noise.
        static func milliseconds(_ duration: Duration) -> Double {
            let (seconds, attoseconds) = duration.components
            let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
            return microseconds.rounded() / 1e3
        }

        enum CodingKeys: CodingKey {
            case lookup, fetch, process, store, encode, total
        }

        // Not synthesized: the synthesized method omits nil, but the output always has all fields.
        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(lookup, forKey: .lookup)
            try values.encode(fetch, forKey: .fetch)
            try values.encode(process, forKey: .process)
            try values.encode(store, forKey: .store)
            try values.encode(encode, forKey: .encode)
            try values.encode(total, forKey: .total)
        }
    }

    enum CodingKeys: CodingKey {
        case source, key, cacheType, format, width, height, frames, bytes, output
        case truncated, timings
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        try values.encode(key, forKey: .key)
        try values.encode(cacheType, forKey: .cacheType)
        try values.encode(format, forKey: .format)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
        try values.encode(frames, forKey: .frames)
        try values.encode(bytes, forKey: .bytes)
        try values.encode(output, forKey: .output)
        try values.encode(truncated, forKey: .truncated)
        try values.encode(timings, forKey: .timings)
    }

    /// The text report.
    func summary() -> String {
        let origin =
            switch cacheType {
            case "memory": "the memory cache"
            case "disk": "the disk cache"
            case "original": "the cached source"
            default: "the source"
            }
        let kind = bytes.map { bytes in
            let kind = format.map { $0.uppercased() } ?? "unknown format"
            return ", \(kind), \(Readable.bytes(bytes))"
        }
        let many = frames > 1 ? ", \(frames) frames" : ""
        let stages: [(String, Double?)] = [
            ("lookup", timings.lookup), ("fetch", timings.fetch), ("process", timings.process),
            ("store", timings.store), ("encode", timings.encode), ("total", timings.total),
        ]
        let times = stages.compactMap { name, time in
            time.map { "\(name) \(Readable.milliseconds($0))" }
        }
        let advice = output == nil ? "\n  written  nothing; -o FILE writes the image" : ""
        return """
            \(title)\(output.map { " → \(Terminal.line($0))" } ?? "")
              image    \(width) × \(height) pixels\(many)\(kind ?? "")
              from     \(origin)
              times    \(times.joined(separator: ", "))\(advice)
            """
    }
}

/// Formats numbers for reading.
enum Readable {
    /// A size such as `532 bytes`, `14.2 kB` or `1.8 MB`; a kilobyte is 1000 bytes.
    static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1000: "\(count) bytes"
        case ..<1_000_000: String(format: "%.1f kB", Double(count) / 1e3)
        case ..<1_000_000_000: String(format: "%.1f MB", Double(count) / 1e6)
        default: String(format: "%.1f GB", Double(count) / 1e9)
        }
    }

    /// A number of images, such as `1 image` or `2 images`.
    static func images(_ count: Int) -> String { count == 1 ? "1 image" : "\(count) images" }

    /// A time such as `8 µs`, `0.14 ms`, `23.5 ms` or `1.3 s`.
    static func milliseconds(_ time: Double) -> String {
        switch time {
        case ..<0.1: String(format: "%.0f µs", time * 1000)
        case ..<1: String(format: "%.2f ms", time)
        case ..<1000: String(format: "%.1f ms", time)
        default: String(format: "%.1f s", time / 1000)
        }
    }

    /// What a copy without metadata lost besides it.
    static func removed(bytesBehindImage count: Int) -> String {
        "removed \(bytes(count)) behind the image: further images, a map of light or a film"
    }
}
