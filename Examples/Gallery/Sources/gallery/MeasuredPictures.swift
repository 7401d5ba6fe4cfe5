import DemoKit
import Foundation
import Kingfisher

/// The files that measurements use.
extension Pictures {
    /// The number of different images for scrolling.
    static let measuredCount = 100
    /// The number of different animations.
    static let animatedCount = 10

    /// Writes the files to a folder: `0.jpg` … of 360 × 270 pixels, `0.gif` … of 240 × 180 pixels and
    /// 20 frames per second, and `huge.jpg` of a hundred megapixels.
    static func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<measuredCount {
            let picture = jpeg(number, width: 360, height: 270)?.body
            try picture?.write(to: folder.appendingPathComponent("\(number).jpg"))
        }
        for number in 0..<animatedCount {
            let frames = animation(number, width: 240, height: 180, delay: 50)
            let file = KingfisherWrapper<KFCrossPlatformImage>
                .animatedImage(data: frames, options: ImageCreatingOptions())?
                .kf.animationRepresentation(format: .GIF)
            try file?.write(to: folder.appendingPathComponent("\(number).gif"))
        }
        try huge?.write(to: folder.appendingPathComponent("huge.jpg"))
    }

    /// A photograph repeated four times in both directions.
    private static var huge: Data? {
        let (width, height, times) = (2_896, 2_172, 4)
        let tile = Photographs.painted(14, width: width, height: height).pixels
        var rows = Data(capacity: tile.count * times * times)
        for row in 0..<height * times {
            let start = tile.startIndex + row % height * width * 4
            for _ in 0..<times { rows.append(tile[start..<start + width * 4]) }
        }
        return KFCrossPlatformImage(
            premultipliedRGBA: rows,
            width: width * times,
            height: height * times
        )?.kf.jpegRepresentation(compressionQuality: 0.85)
    }
}
