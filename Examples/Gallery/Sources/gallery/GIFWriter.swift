import Foundation

/// Writes uncompressed animated GIFs of 216 colours, enough for a demonstration.
///
/// Source: CompuServe, "Graphics Interchange Format, Version 89a" (1990).
nonisolated struct GIFWriter {
    let width: Int
    let height: Int
    /// Hundredths of a second.
    let delay: Int

    /// The file, from premultiplied RGBA frames of the writer's size.
    func file(frames: [Data]) -> Data {
        var file = Data("GIF89a".utf8)
        file.append(contentsOf: little(width) + little(height) + [0xF7, 0, 0])
        for index in 0..<256 {
            let color = min(index, 215)
            file.append(contentsOf: [color / 36, color / 6 % 6, color % 6].map { UInt8($0 * 51) })
        }
        file.append(contentsOf: [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0])
        for frame in frames {
            file.append(contentsOf: [0x21, 0xF9, 4, 0] + little(delay) + [0, 0])
            file.append(contentsOf: [0x2C, 0, 0, 0, 0] + little(width) + little(height) + [0])
            append(indices(frame), to: &file)
        }
        file.append(0x3B)
        return file
    }

    private func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    /// The colour of each pixel, dithered with a 4 × 4 pattern.
    private func indices(_ frame: Data) -> [UInt8] {
        let pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
        var indices = [UInt8](repeating: 0, count: width * height)
        frame.withUnsafeBytes { pixels in
            for pixel in indices.indices {
                let step = pattern[(pixel / width % 4) * 4 + pixel % width % 4] * 51 / 16
                let levels = (0..<3).map { min(5, (Int(pixels[pixel * 4 + $0]) + step) / 51) }
                indices[pixel] = UInt8(levels[0] * 36 + levels[1] * 6 + levels[2])
            }
        }
        return indices
    }

    /// Codes of constant nine bits: the table is cleared before they would grow.
    private func append(_ indices: [UInt8], to file: inout Data) {
        var bytes: [UInt8] = []
        var bits = 0
        var count = 0
        func put(_ code: Int) {
            bits |= code << count
            count += 9
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        for (position, index) in indices.enumerated() {
            if position % 250 == 0 { put(256) }
            put(Int(index))
        }
        put(257)
        if count > 0 { bytes.append(UInt8(bits & 255)) }
        file.append(8)
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(bytes.count, start + 255)]
            file.append(UInt8(block.count))
            file.append(contentsOf: block)
        }
        file.append(0)
    }
}
