import CKFCodecShims
import Foundation
import Testing

@testable import KFCodecs

/// Files of 16-bit or 12-bit pixels, written here because the encoders write 8 bits.
struct DeepSample {
    var width: Int
    var height: Int
    /// Straight RGBA for each pixel, 0…65,535.
    var pixels: [UInt16]
    var hasAlpha = false

    /// A sample whose colours are functions of the place, 0…1.
    init(_ width: Int, _ height: Int, hasAlpha: Bool = false, _ color: (Int, Int) -> [Double]) {
        self.width = width
        self.height = height
        self.hasAlpha = hasAlpha
        pixels = (0..<height).flatMap { y in
            (0..<width).flatMap { x in
                color(x, y).map { UInt16($0 * 65_535 + 0.5) } + (hasAlpha ? [] : [65_535])
            }
        }
    }

    /// The colours of a pixel, 0…1.
    func color(_ x: Int, _ y: Int) -> [Double] {
        (0..<3).map { Double(pixels[(y * width + x) * 4 + $0]) / 65_535 }
    }

    private var channels: Int { hasAlpha ? 4 : 3 }

    /// A PNG with chunks before the pixels.
    func png(_ chunks: [(type: String, body: [UInt8])]) -> Data {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width {
                for channel in 0..<channels {
                    rows += Bytes.big(Int(pixels[(y * width + x) * 4 + channel]), 2)
                }
            }
        }
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let format: [UInt8] = [16, hasAlpha ? 6 : 2, 0, 0, 0]
        file += PNGSample.chunk("IHDR", Bytes.big(width, 4) + Bytes.big(height, 4) + format)
        for chunk in chunks { file += PNGSample.chunk(chunk.type, chunk.body) }
        file += PNGSample.chunk("IDAT", PNGSample.compress(rows, level: 6))
        return file + PNGSample.chunk("IEND", [])
    }

    /// The body of a PNG's chunk with a profile.
    static func iccp(_ profile: Data) -> (type: String, body: [UInt8]) {
        ("iCCP", Array("any\0\0".utf8) + PNGSample.compress(Array(profile), level: 6))
    }

    /// A TIFF of one strip with a profile.
    func tiff(_ profile: Data) -> Data {
        let samples = (0..<width * height).flatMap { index in
            (0..<channels).flatMap { Bytes.little(Int(pixels[index * 4 + $0]), 2) }
        }
        var entries: [(tag: Int, type: Int, count: Int, value: Int)] = []
        let (bits, strip) = (8, 8 + 2 * channels)
        let icc = strip + samples.count
        entries += [(256, 4, 1, width), (257, 4, 1, height), (258, 3, channels, bits)]
        entries += [(259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, strip), (277, 3, 1, channels)]
        entries += [(278, 4, 1, height), (279, 4, 1, samples.count)]
        if hasAlpha { entries.append((338, 3, 1, 2)) }
        entries.append((34_675, 7, profile.count, icc))
        let directory = icc + profile.count + profile.count % 2
        var file = Data("II*\0".utf8) + Data(Bytes.little(directory, 4))
        for _ in 0..<channels { file += Data(Bytes.little(16, 2)) }
        file += Data(samples) + profile + Data(count: profile.count % 2)
        file += Data(Bytes.little(entries.count, 2))
        for entry in entries {
            file += Data(Bytes.little(entry.tag, 2) + Bytes.little(entry.type, 2))
            file += Data(Bytes.little(entry.count, 4) + Bytes.little(entry.value, 4))
        }
        return file + Data(count: 4)
    }

    /// A nearly lossless AVIF with code points; nil if its encoder is missing.
    func avif(bits: Int, primaries: Int, transfer: Int, isReduced: Bool = false) throws -> Data? {
        let avif = try AVIFLibrary.load()
        let format = isReduced ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
        guard
            let image = avif.avifImageCreate(
                UInt32(width),
                UInt32(height),
                number(bits),
                format
            ),
            let encoder = avif.avifEncoderCreate()
        else { return nil }
        defer {
            avif.avifEncoderDestroy(encoder)
            avif.avifImageDestroy(image)
        }
        image.pointee.colorPrimaries = avifColorPrimaries(UInt16(primaries))
        image.pointee.transferCharacteristics = avifTransferCharacteristics(UInt16(transfer))
        image.pointee.matrixCoefficients = avifMatrixCoefficients(isReduced ? 9 : 0)
        image.pointee.yuvRange = AVIF_RANGE_FULL
        var rgb = avifRGBImage()
        avif.avifRGBImageSetDefaults(&rgb, image)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        rgb.depth = 16
        rgb.ignoreAlpha = hasAlpha ? AVIF_FALSE : AVIF_TRUE
        var copy = pixels
        let isFilled = copy.withUnsafeMutableBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            kf_avif_set_pixels(&rgb, base, UInt32(width * 8))
            return avif.avifImageRGBToYUV(image, &rgb) == AVIF_RESULT_OK
        }
        encoder.pointee.speed = 8
        encoder.pointee.maxThreads = 1
        kf_avif_set_quantizers(encoder, 0, 0, 0, 0)
        var output = avifRWData()
        defer { avif.avifRWDataFree(&output) }
        guard isFilled, avif.avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK,
            let bytes = output.data
        else { return nil }
        return Data(bytes: bytes, count: output.size)
    }

    private func number<Number: BinaryInteger>(_ bits: Int) -> Number { Number(bits) }
}

/// Light of high dynamic range as a float reference computes it, independent of the decoder.
enum HighRange {
    /// Light of PQ in cd/m².
    static func pq(_ signal: Double) -> Double {
        let (m1, m2) = (0.1593017578125, 78.84375)
        let (c1, c2, c3) = (0.8359375, 18.8515625, 18.6875)
        let root = pow(signal, 1 / m2)
        return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    static func inversePQ(_ light: Double) -> Double {
        let power = pow(light / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    /// Light of HLG on a screen of 1,000 cd/m².
    static func hlg(_ signals: [Double]) -> [Double] {
        let scene = signals.map { signal in
            signal <= 0.5
                ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
        }
        let luma = 0.2627 * scene[0] + 0.678 * scene[1] + 0.0593 * scene[2]
        return scene.map { luma > 0 ? 1000 * pow(luma, 0.2) * $0 : 0 }
    }

    /// BT.2390's curve from 1,000 to 203 cd/m², for the largest channel; primaries of BT.2020 to
    /// light of sRGB.
    static func shown(_ light: [Double]) -> [Double] {
        let most = min(1000, light.max() ?? 0)
        guard most > 0 else { return [0, 0, 0] }
        let (peak, limit) = (inversePQ(1000), inversePQ(203) / inversePQ(1000))
        var e = inversePQ(most) / peak
        let knee = 1.5 * limit - 0.5
        if e > knee {
            let t = (e - knee) / (1 - knee)
            e =
                (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
                + (-2 * t * t * t + 3 * t * t) * limit
        }
        let factor = pq(e * peak) / (light.max() ?? 1) / 203
        let (r, g, b) = (light[0] * factor, light[1] * factor, light[2] * factor)
        return [
            1.6604910 * r - 0.5876411 * g - 0.0728499 * b,
            -0.1245505 * r + 1.1328999 * g - 0.0083494 * b,
            -0.0181508 * r - 0.1005789 * g + 1.1187297 * b,
        ]
    }
}
