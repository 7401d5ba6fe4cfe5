import KFPixels

/// The channels that an encoder stores: as few as hold the bitmap.
enum PNGLayout {
    case gray
    case grayAlpha
    case rgb
    case rgba

    /// Scans the pixels until one needs more channels.
    init(choosing bitmap: Bitmap, allowsGray: Bool = true) {
        // Premultiplied channels are equal if straight ones are.
        let isGray = allowsGray && bitmap.allPixels { ($0 ^ ($0 >> 8)) & 0xFFFF == 0 }
        if bitmap.hasOnlyOpaquePixels {
            self = isGray ? .gray : .rgb
        } else {
            self = isGray ? .grayAlpha : .rgba
        }
    }

    /// Bytes per pixel.
    var step: Int {
        switch self {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    /// The number of the colour type in the header.
    var colorType: UInt8 {
        switch self {
        case .gray: 0
        case .grayAlpha: 4
        case .rgb: 2
        case .rgba: 6
        }
    }

    /// Copies one row of premultiplied RGBA in this layout, with straight alpha.
    func copyRow(
        _ source: UnsafePointer<UInt8>,
        width: Int,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        switch self {
        case .gray:
            for x in 0..<width { target[x] = source[x * 4] }
        case .grayAlpha:
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * 4) { straight in
                guard let row = straight.baseAddress else { return }
                unpremultiplyRow(from: source, to: row, width: width)
                for x in 0..<width {
                    target[x * 2] = row[x * 4]
                    target[x * 2 + 1] = row[x * 4 + 3]
                }
            }
        case .rgb:
            for x in 0..<width {
                target[x * 3] = source[x * 4]
                target[x * 3 + 1] = source[x * 4 + 1]
                target[x * 3 + 2] = source[x * 4 + 2]
            }
        case .rgba:
            unpremultiplyRow(from: source, to: target, width: width)
        }
    }
}

extension Bitmap {
    /// Whether every alpha is 255.
    ///
    /// Scans the pixels unless the bitmap is known to be opaque.
    var hasOnlyOpaquePixels: Bool { isOpaque || allPixels { $0 >> 24 == 255 } }

    @inline(__always)
    fileprivate func allPixels(satisfy test: (UInt32) -> Bool) -> Bool {
        for y in 0..<height {
            let row = UnsafeRawPointer(storage.base + y * bytesPerRow)
            for x in 0..<width {
                let pixel = row.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
                guard test(UInt32(littleEndian: pixel)) else { return false }
            }
        }
        return true
    }
}
