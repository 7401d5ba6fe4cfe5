import Foundation

/// Joins PNG files of one size to an animated PNG.
///
/// Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", 11.3.6.
nonisolated enum AnimationWriter {
    /// The file of frames that are each shown for `delay` milliseconds, repeated forever.
    static func file(frames: [Data], delay: UInt16) -> Data {
        var file = Data(frames.first?.prefix(8) ?? Data())
        var sequence: UInt32 = 0
        for (index, frame) in frames.enumerated() {
            for chunk in chunks(of: frame) {
                switch chunk.type {
                case "IHDR":
                    if index == 0 {
                        file.append(chunk: "IHDR", chunk.body)
                        file.append(chunk: "acTL", bytes(UInt32(frames.count)) + bytes(0))
                    }
                    let control = bytes(sequence) + chunk.body.prefix(8) + bytes(0) + bytes(0)
                    let time = bytes(UInt32(delay) << 16 | 1_000)
                    file.append(chunk: "fcTL", control + time + Data([0, 0]))
                    sequence += 1
                case "IDAT" where index == 0: file.append(chunk: "IDAT", chunk.body)
                case "IDAT":
                    file.append(chunk: "fdAT", bytes(sequence) + chunk.body)
                    sequence += 1
                default: break
                }
            }
        }
        file.append(chunk: "IEND", Data())
        return file
    }

    private static func chunks(of file: Data) -> [(type: String, body: Data)] {
        var chunks: [(String, Data)] = []
        var rest = file.dropFirst(8)
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= length + 12 else { break }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            chunks.append((type, Data(rest.dropFirst(8).prefix(length))))
            rest = rest.dropFirst(length + 12)
        }
        return chunks
    }

    fileprivate static func bytes(_ number: UInt32) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }
}

extension Data {
    nonisolated fileprivate mutating func append(chunk type: String, _ body: Data) {
        let content = Data(type.utf8) + body
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in content {
            remainder ^= UInt32(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
            }
        }
        append(AnimationWriter.bytes(UInt32(body.count)) + content)
        append(AnimationWriter.bytes(~remainder))
    }
}
