import Codecs
import Foundation
import Pixels
import Synchronization

/// Makes pictures of a progressive JPEG that is still arriving.
///
/// Such a picture is shown and nothing else: it never reaches a cache. One caller at a time; the
/// methods decode, so call them where that is allowed.
final class ProgressiveDecoding: Sendable {
    private struct State {
        /// What came and was not decoded yet.
        var pending = Data()
        var decoder: ProgressiveJPEGDecoder?
        var own = PixelSize(width: 0, height: 0)
        var scanCount = 0
        var searchedBytes = 0
        var isOver = false

        /// Nothing is shown before the whole picture any more.
        mutating func end() {
            pending = Data()
            decoder = nil
            isOver = true
        }
    }

    private let state = Mutex(State())
    private let progressive: ImageProgressive
    private let options: KingfisherParsedOptionsInfo

    init(_ progressive: ImageProgressive, options: KingfisherParsedOptionsInfo) {
        self.progressive = progressive
        self.options = options
    }

    /// Whether there is nothing to show before the end: no JPEG, one without scans, or all is there.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// How many bytes the search for scans has looked at; for tests.
    var searchedBytes: Int { state.withLock { $0.searchedBytes } }

    /// Takes the bytes that follow, and gives the picture of the next scan that is to be shown.
    ///
    /// Call it with no bytes until it gives nil, because several scans may have come together.
    func next(_ bytes: Data) -> KFCrossPlatformImage? {
        let partial = state.withLock { state -> (DecodedImage, scanCount: Int, own: PixelSize)? in
            guard !state.isOver else { return nil }
            state.pending.append(bytes)
            prepare(&state)
            guard let decoded = decode(&state) else { return nil }
            return (decoded, state.scanCount, state.own)
        }
        // Outside of the lock, because the processor may be anybody's.
        return partial.flatMap { image($0, scanCount: $1, own: $2) }
    }

    /// Makes the decoder as soon as the header is there, because it tells the size to decode to.
    private func prepare(_ state: inout State) {
        guard state.decoder == nil else { return }
        do {
            let info = try Codecs.inspect(state.pending)
            guard info.format == .jpeg, info.isProgressive else { return state.end() }
            state.own = info.displaySize
            let size = DecodeWish(options)?.size(of: info.displaySize) ?? info.displaySize
            let target: DecodeOptions.Target = size == info.displaySize ? .full : .exact(size)
            state.decoder = ProgressiveJPEGDecoder(options: DecodeOptions(target: target))
        } catch .truncated, .empty {
            // The rest of the header is on its way.
        } catch {
            // 16: more than the longest signature.
            if state.pending.count >= 16 { state.end() }
        }
    }

    /// Reads on to the next scan to be shown: the newest, or else each.
    private func decode(_ state: inout State) -> DecodedImage? {
        guard let decoder = state.decoder else { return nil }
        while true {
            let count = progressive.isFastestScan ? state.pending.count : step(&state)
            guard count > 0 else { break }
            let bytes = Data(state.pending.prefix(count))
            state.pending = Data(state.pending.dropFirst(bytes.count))
            // A damaged file is reported when all of it is there.
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

    /// How many bytes to read on with so that no scan is passed over.
    ///
    /// Up to the end of the next scan's header, which is what completes the scan before; a header
    /// that has come in part waits. In the scans themselves FF is always followed by 0.
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
                // Of 4 components at most; whatever is longer the decoder refuses.
                guard length <= 14 else { return bytes.count }
                let end = index + 2 + length
                return end <= bytes.count ? end : index
            }
            return bytes.last == 0xFF ? bytes.count - 1 : bytes.count
        }
    }

    /// The picture by the caller's processor; nil when that gives none.
    ///
    /// Early scans are blurred on demand, with a radius of 14 pixels of the file less 4 for each
    /// scan and 2 at least, because their blocks hurt more than blur does.
    private func image(
        _ decoded: DecodedImage,
        scanCount: Int,
        own: PixelSize
    ) -> KFCrossPlatformImage? {
        var image = KFCrossPlatformImage(bitmap: decoded.bitmap, scale: options.scaleFactor)
        if progressive.isBlur, scanCount < 6 {
            let shrunk = CGFloat(decoded.bitmap.width) / CGFloat(max(1, own.width))
            let radius = CGFloat(max(2, 14 - 4 * scanCount)) * min(1, shrunk)
            // Below half a pixel there is nothing to see.
            if radius >= 0.5 { image = image.kf.blurred(withRadius: radius) }
        }
        guard let wish = DecodeWish(options) else {
            return options.processor.process(item: .image(image), options: options)
        }
        return wish.image(image, of: own, options)
    }
}
