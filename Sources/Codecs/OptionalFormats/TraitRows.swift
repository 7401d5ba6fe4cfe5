import CCodecShims
import Pixels

/// Takes the rows that a library delivers, and makes premultiplied sRGB of them.
final class TraitRows {
    enum Alpha {
        case none
        case straight
        case premultiplied
    }

    private let sink: RowSink
    private let alpha: Alpha
    // Pictures without alpha are converted after scaling, when there is less of them.
    private let transform: ColorTransform?
    /// How many rows came.
    private(set) var count = 0

    init(_ sink: RowSink, _ alpha: Alpha, _ transform: ColorTransform?) {
        self.sink = sink
        self.alpha = alpha
        self.transform = transform
    }

    /// For C, with the object as the context.
    static let take: kf_picture_row = { context, row in
        Unmanaged<TraitRows>.fromOpaque(context).takeUnretainedValue().push(row)
    }

    private func push(_ source: UnsafePointer<UInt8>) {
        let width = sink.source.width
        let row = sink.nextRow
        row.update(from: source, count: width * Bitmap.bytesPerPixel)
        Self.finish(row, width: width, alpha, transform)
        sink.commit()
        count += 1
    }

    /// Makes premultiplied sRGB of a row in place; without alpha colours stay as they are.
    static func finish(
        _ row: UnsafeMutablePointer<UInt8>,
        width: Int,
        _ alpha: Alpha,
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
