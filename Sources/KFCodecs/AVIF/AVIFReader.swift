import FoundationEssentials
import KFPixels

/// Reads the frames of an AVIF file.
///
/// A still has one.
struct AVIFReader: FrameReader {
    private let file: AVIFFile
    private let options: DecodeOptions
    let info: ImageInfo
    let frames: [FrameDescriptor]

    /// Parses the file.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        let file = try data.withBytes { bytes throws(CodecError) in
            try AVIFFile(bytes, options.limits)
        }
        let info = file.info
        try options.limits.check(info.storedSize, of: .avif)
        try options.limits.check(workingBytes: file.planeBytes)
        let count = info.frameCount ?? 1
        try options.limits.check(frameCount: count)
        self.file = file
        self.info = info
        self.options = options
        frames = (0..<count).map { index in
            FrameDescriptor(
                rect: PixelRect(size: info.storedSize),
                delay: count > 1 ? FrameDescriptor.playedDelay(file.delay(ofFrame: index)) : 0,
                replaces: true
            )
        }
    }

    var canvasSize: PixelSize { info.storedSize }
    var loopCount: Int { info.loopCount ?? 1 }
    var heldBytes: Int { file.heldBytes }

    func releaseMemory() { file.releaseDecoder() }

    func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool {
        try file.decodeFrame(at: index, into: surface)
    }

    /// Decodes the first frame straight to the target size.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        return try .upright(file.decodeFrame(at: 0, target: target), info)
    }
}
