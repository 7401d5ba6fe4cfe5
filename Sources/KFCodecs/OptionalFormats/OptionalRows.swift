import CKFCodecShims
import KFPixels

/// Receives the rows that a library decodes and converts them to premultiplied sRGB.
final class OptionalRows {
    private let sink: RowSink
    private let alpha: StoredAlpha
    // Images without alpha are converted after scaling, when there are fewer pixels, unless rows have
    // 16 bits per channel.
    private let transform: ColorTransform?
    private let isDeep: Bool
    /// The number of rows received.
    private(set) var count = 0

    init(_ sink: RowSink, _ alpha: StoredAlpha, _ transform: ColorTransform?, isDeep: Bool) {
        self.isDeep = isDeep
        self.sink = sink
        self.alpha = alpha
        self.transform = transform
    }

    /// The C callback; its context is the object.
    static let take: kf_picture_row = { context, row in
        Unmanaged<OptionalRows>.fromOpaque(context).takeUnretainedValue().push(row)
    }

    private func push(_ source: UnsafeRawPointer) {
        let width = sink.source.width
        let row = sink.nextRow
        if isDeep {
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * 4) { deep in
                guard let base = deep.baseAddress else { return }
                base.update(from: source.assumingMemoryBound(to: UInt16.self), count: width * 4)
                DeepRow.finish(base, to: row, width: width, alpha, transform)
            }
        } else {
            row.update(from: source.assumingMemoryBound(to: UInt8.self), count: width * 4)
            Self.finish(row, width: width, alpha, transform)
        }
        sink.commit()
        count += 1
    }

    /// Converts a row to premultiplied sRGB in place.
    ///
    /// Without alpha, the colours stay as they are.
    static func finish(
        _ row: UnsafeMutablePointer<UInt8>,
        width: Int,
        _ alpha: StoredAlpha,
        _ transform: ColorTransform?
    ) {
        switch alpha {
        case .none:
            break
        case .straight:
            transform?.apply(row, width: width)
            premultiplyRow(row, width: width)
        case .premultiplied:
            if let transform {
                unpremultiplyRow(from: row, to: row, width: width)
                transform.apply(row, width: width)
                premultiplyRow(row, width: width)
            }
        }
    }
}
