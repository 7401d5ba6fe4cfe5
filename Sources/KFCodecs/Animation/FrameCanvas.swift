import KFPixels

/// The canvas on which the frames of an animation are composited.
///
/// The bitmaps it returns share the canvas's memory. Drawing reuses that memory once no bitmap
/// refers to it, and copies it otherwise: allocating memory for each frame costs more than decoding
/// it.
struct FrameCanvas {
    let size: PixelSize
    private var storage: PixelStorage
    private var isOpaque = false
    /// Whether nothing was drawn since the memory was allocated.
    private var isBlank = true
    /// Memory of an earlier bitmap, reused once no bitmap refers to it.
    private var spare: PixelStorage?
    /// The canvas before the last frame, if its disposal restores it.
    private var backup: (storage: PixelStorage, isOpaque: Bool)?
    /// Holds a frame while it is blended.
    private var scratch: PixelStorage?

    /// Creates a transparent canvas of `size` pixels.
    init(size: PixelSize) throws(CodecError) {
        self.size = size
        storage = try CodecError.wrapping { () throws(PixelError) in try Bitmap.allocate(size) }
    }

    /// Makes the whole canvas transparent.
    mutating func clear() throws(CodecError) {
        backup = nil
        guard !isBlank else { return }
        try makeWritable(keepsPixels: false)
        surface(PixelRect(size: size)).clear()
        isOpaque = false
    }

    /// Composites a frame onto the canvas.
    ///
    /// - Parameters:
    ///   - frame: A frame whose rectangle lies inside the canvas.
    ///   - decode: Writes every pixel of the frame and returns whether all are opaque.
    /// - Throws: The error of `decode`, or ``CodecError/pixels(_:)`` if memory cannot be allocated.
    ///   The canvas must not be used after that.
    mutating func draw(
        _ frame: FrameDescriptor,
        _ decode: (FrameSurface) throws(CodecError) -> Bool
    ) throws(CodecError) {
        if frame.disposal == .restore { backup = (storage, isOpaque) }
        let isWhole = frame.rect.size == size
        let isInPlace = frame.replaces || frame.isOpaque
        try makeWritable(keepsPixels: !(isWhole && isInPlace))
        isBlank = false
        let target = surface(frame.rect)
        let isFrameOpaque: Bool
        if isInPlace {
            isFrameOpaque = try decode(target)
            if !isFrameOpaque { isOpaque = false }
        } else {
            let source = try scratchSurface(frame.rect.size)
            isFrameOpaque = try decode(source)
            for y in 0..<source.size.height {
                Self.blend(source.row(y), over: target.row(y), width: source.size.width)
            }
        }
        if isWhole, isFrameOpaque { isOpaque = true }
    }

    /// Applies the disposal of `frame`, before the next frame is drawn.
    mutating func dispose(_ frame: FrameDescriptor) throws(CodecError) {
        switch frame.disposal {
        case .keep:
            break
        case .clear:
            guard !frame.rect.isEmpty else { break }
            try makeWritable(keepsPixels: frame.rect.size != size)
            surface(frame.rect).clear()
            isOpaque = false
        case .restore:
            guard let backup else { break }
            spare = storage
            (storage, isOpaque) = backup
            self.backup = nil
        }
    }

    /// The current canvas.
    var picture: Bitmap {
        Bitmap(size: size, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    // MARK: Memory

    /// The bytes of all memory that the canvas holds.
    var byteCount: Int {
        let others = [spare, backup?.storage, scratch].compactMap(\.self).filter { $0 !== storage }
        return others.reduce(storage.byteCount) { $0 + $1.byteCount }
    }

    /// Releases the memory that only makes drawing faster.
    mutating func releaseSpares() {
        spare = nil
        scratch = nil
    }

    private var bytesPerRow: Int { size.width * Bitmap.bytesPerPixel }

    private func surface(_ rect: PixelRect) -> FrameSurface {
        FrameSurface(
            base: storage.base + rect.y * bytesPerRow + rect.x * Bitmap.bytesPerPixel,
            bytesPerRow: bytesPerRow,
            size: rect.size
        )
    }

    /// Moves to other memory if a bitmap shares the current one.
    private mutating func makeWritable(keepsPixels: Bool) throws(CodecError) {
        if isKnownUniquelyReferenced(&storage) { return }
        // No bitmap refers to the spare memory, so it may be overwritten.
        let isReusable = isKnownUniquelyReferenced(&spare)
        let other: PixelStorage
        if isReusable, let spare {
            other = spare
        } else {
            other = try CodecError.wrapping { [size] () throws(PixelError) in
                try Bitmap.allocate(size)
            }
        }
        if keepsPixels {
            other.base.copyMemory(from: storage.base, byteCount: storage.byteCount)
        }
        spare = storage
        storage = other
    }

    private mutating func scratchSurface(_ size: PixelSize) throws(CodecError) -> FrameSurface {
        let byteCount = size.byteCount(bytesPerPixel: Bitmap.bytesPerPixel)
        if let scratch, scratch.byteCount >= byteCount { return FrameSurface(scratch, size) }
        // Release the old memory first, so that both never exist at once.
        scratch = nil
        let fresh = try CodecError.wrapping { () throws(PixelError) in try Bitmap.allocate(size) }
        scratch = fresh
        return FrameSurface(fresh, size)
    }

    // The Porter-Duff "over" operator on premultiplied pixels. Most are fully opaque or
    // transparent.
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
