import Pixels

/// The picture on which the frames of an animation are laid, one after the other.
struct FrameCanvas {
    let size: PixelSize
    private let storage: PixelStorage
    /// What the last frame covered, if it is to be restored.
    private var backup: PixelStorage?
    private var isOpaque = false

    /// Makes a transparent canvas.
    init(size: PixelSize) throws(CodecError) {
        self.size = size
        storage = try CodecError.wrapping { () throws(PixelError) in try Bitmap.allocate(size) }
    }

    /// Makes all transparent again.
    mutating func clear() {
        base.update(repeating: 0, count: storage.byteCount)
        isOpaque = false
    }

    /// Lays a frame on the canvas.
    ///
    /// - Parameters:
    ///   - bitmap: Of the size of the frame's rectangle.
    ///   - frame: Its rectangle lies inside the canvas.
    /// - Throws: ``CodecError/pixels(_:)`` when there is no memory to remember what is covered.
    mutating func draw(_ bitmap: Bitmap, _ frame: FrameDescriptor) throws(CodecError) {
        if frame.disposal == .restore {
            let copy = try CodecError.wrapping { () throws(PixelError) in
                try Bitmap.allocate(size)
            }
            copy.base.copyMemory(from: storage.base, byteCount: storage.byteCount)
            backup = copy
        }
        let copies = frame.replaces || bitmap.isOpaque
        for y in 0..<min(frame.rect.height, bitmap.height) {
            let source = UnsafePointer(
                (bitmap.storage.base + y * bitmap.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            )
            let target = row(frame.rect, y)
            if copies {
                target.update(from: source, count: frame.rect.width * Bitmap.bytesPerPixel)
            } else {
                Self.blend(source, over: target, width: frame.rect.width)
            }
        }
        let isWhole = frame.rect.size == size
        if isWhole, bitmap.isOpaque {
            isOpaque = true
        } else if frame.replaces, !bitmap.isOpaque {
            isOpaque = false
        }
    }

    /// Does what `frame` asks for once its time is over.
    mutating func dispose(_ frame: FrameDescriptor) {
        switch frame.disposal {
        case .keep:
            break
        case .clear:
            for y in 0..<frame.rect.height {
                row(frame.rect, y).update(
                    repeating: 0,
                    count: frame.rect.width * Bitmap.bytesPerPixel
                )
            }
            if !frame.rect.isEmpty { isOpaque = false }
        case .restore:
            guard let backup else { break }
            storage.base.copyMemory(from: backup.base, byteCount: storage.byteCount)
            self.backup = nil
            // What was saved may have had holes; claiming less than is true is safe.
            isOpaque = false
        }
    }

    /// A copy of the canvas as it is now.
    func snapshot() throws(CodecError) -> Bitmap {
        let copy = try CodecError.wrapping { () throws(PixelError) in try Bitmap.allocate(size) }
        copy.base.copyMemory(from: storage.base, byteCount: storage.byteCount)
        return Bitmap(size: size, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: copy)
    }

    private var bytesPerRow: Int { size.width * Bitmap.bytesPerPixel }

    private var base: UnsafeMutablePointer<UInt8> {
        storage.base.assumingMemoryBound(to: UInt8.self)
    }

    private func row(_ rect: PixelRect, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        base + (rect.y + y) * bytesPerRow + rect.x * Bitmap.bytesPerPixel
    }

    // Porter and Duff's "over" on premultiplied pixels; most are wholly there or not at all.
    private static func blend(
        _ source: UnsafePointer<UInt8>,
        over target: UnsafeMutablePointer<UInt8>,
        width: Int
    ) {
        let input = UnsafeRawPointer(source)
        let output = UnsafeMutableRawPointer(target)
        for x in 0..<width {
            let pixel = UInt32(
                littleEndian: input.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
            )
            let alpha = pixel >> 24
            if alpha == 0 { continue }
            if alpha == 255 {
                output.storeBytes(of: pixel.littleEndian, toByteOffset: x * 4, as: UInt32.self)
                continue
            }
            let rest = 255 - alpha
            for channel in x * 4..<x * 4 + 4 {
                let product = UInt32(target[channel]) * rest + 128
                let below = (product + (product >> 8)) >> 8
                target[channel] = UInt8(min(255, UInt32(source[channel]) + below))
            }
        }
    }
}
