import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// Decodes intermediate images of a progressive JPEG during its download.
///
/// Intermediate images are only displayed, never cached. Not for concurrent use; the methods
/// decode, so call them on a suitable thread.
final class ProgressiveDecoding: Sendable {
    private struct State {
        /// The bytes received but not decoded yet.
        var pending = Data()
        var decoder: ProgressiveJPEGDecoder?
        var own = PixelSize(width: 0, height: 0)
        var scanCount = 0
        var searchedBytes = 0
        var isOver = false

        /// Stops producing intermediate images.
        mutating func end() {
            pending = Data()
            decoder = nil
            isOver = true
        }
    }

    private let state = Mutex(State())
    private let progressive: ImageProgressive
    private let request: DecodeRequest

    init(_ progressive: ImageProgressive, options: KingfisherParsedOptionsInfo) {
        self.progressive = progressive
        request = DecodeRequest(options)
    }

    /// Whether no more intermediate images follow: not a progressive JPEG, or complete.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The number of bytes searched for scans; for tests.
    var searchedBytes: Int { state.withLock { $0.searchedBytes } }

    /// Receives further bytes and returns the image of the next scan to show.
    ///
    /// Call it with empty bytes until it returns nil, because several scans may have arrived
    /// together.
    func next(_ bytes: Data) -> KFCrossPlatformImage? {
        let partial = state.withLock { state -> (DecodedImage, scanCount: Int, own: PixelSize)? in
            guard !state.isOver else { return nil }
            state.pending.append(bytes)
            prepare(&state)
            guard let decoded = decode(&state) else { return nil }
            return (decoded, state.scanCount, state.own)
        }
        // Outside the lock, because the processor may be foreign code.
        return partial.flatMap { image($0, scanCount: $1, own: $2) }
    }

    /// Makes the decoder once the header is complete, because it determines the size to decode to.
    private func prepare(_ state: inout State) {
        guard state.decoder == nil else { return }
        do {
            let info = try Codecs.inspect(state.pending)
            guard info.format == .jpeg, info.isProgressive else { return state.end() }
            state.own = info.displaySize
            let size = request.takesBitmap ? request.size(of: info.displaySize) : info.displaySize
            let target: DecodeOptions.Target = size == info.displaySize ? .full : .exact(size)
            state.decoder = ProgressiveJPEGDecoder(options: DecodeOptions(target: target))
        } catch .truncated, .empty {
            // The header is incomplete; wait for more bytes.
        } catch {
            // 16: more than the longest signature.
            if state.pending.count >= 16 { state.end() }
        }
    }

    /// Decodes up to the next scan to show: the newest, or each one in order.
    private func decode(_ state: inout State) -> DecodedImage? {
        guard let decoder = state.decoder else { return nil }
        while true {
            let count = progressive.isFastestScan ? state.pending.count : step(&state)
            guard count > 0 else { break }
            let bytes = Data(state.pending.prefix(count))
            state.pending = Data(state.pending.dropFirst(bytes.count))
            // A damaged file is reported when the download is complete.
            guard let progress = try? decoder.append(bytes) else { break }
            switch progress {
            case .needsHeader:
                continue
            case .scans(let count):
                guard count > state.scanCount else { continue }
                state.scanCount = count
                if let decoded = try? decoder.decode() { return decoded }
            case .notProgressive, .complete:
                state.end()
            }
        }
        return nil
    }

    /// The number of bytes to decode without skipping a scan.
    ///
    /// It ends with the header of the next scan, which completes the scan before; an incomplete
    /// header waits. Within scans, FF is always followed by 0.
    private func step(_ state: inout State) -> Int {
        var index = 0
        defer { state.searchedBytes += index }
        return state.pending.withUnsafeBytes { bytes in
            while index + 1 < bytes.count {
                guard bytes[index] == 0xFF, bytes[index + 1] == 0xDA else {
                    index += 1
                    continue
                }
                guard index + 3 < bytes.count else { return index }
                let length = Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
                // With at most 4 components; the decoder refuses longer headers.
                guard length <= 14 else { return bytes.count }
                let end = index + 2 + length
                return end <= bytes.count ? end : index
            }
            return bytes.last == 0xFF ? bytes.count - 1 : bytes.count
        }
    }

    /// The result of the caller's processor; nil if it returns none.
    ///
    /// Early scans are optionally blurred, because their blocks are more disturbing than blur. The
    /// radius is 14 pixels of the file minus 4 for each scan, and at least 2.
    private func image(
        _ decoded: DecodedImage,
        scanCount: Int,
        own: PixelSize
    ) -> KFCrossPlatformImage? {
        var image = KFCrossPlatformImage(bitmap: decoded.bitmap, scale: request.options.scaleFactor)
        if progressive.isBlur, scanCount < 6 {
            let shrunk = CGFloat(decoded.bitmap.width) / CGFloat(max(1, own.width))
            let radius = CGFloat(max(2, 14 - 4 * scanCount)) * min(1, shrunk)
            // A radius below half a pixel has no visible effect.
            if radius >= 0.5 { image = image.kf.blurred(withRadius: radius) }
        }
        return request.takesBitmap
            ? request.image(image, of: own)
            : request.options.processor.process(item: .image(image), options: request.options)
    }
}
