import Foundation
import Kingfisher

/// The typical work of an image server: from a file to a JPEG of quality 80 that fits 400 × 400.
enum Thumbnail {
    static func make(of data: Data) throws -> Data {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 400, height: 400))
        let options = KingfisherParsedOptionsInfo(nil)
        guard let image = processor.process(item: .data(data), options: options),
            let thumbnail = image.kf.jpegRepresentation(compressionQuality: 0.8)
        else { throw BenchmarkError("no thumbnail came out") }
        return thumbnail
    }
}
