import Foundation
import Kingfisher

extension Benchmarks {
    /// From pixels to files.
    static let encoding = [
        png("encode-png", "05mp.rgba", size: (816, 612), "half a megapixel of photograph"),
        png("encode-png-drawing", "drawing.rgba", size: (1024, 768), "a drawing"),
        Benchmark(
            name: "recode-jpeg",
            title: "half a megapixel of JPEG to pixels and to JPEG of quality 80",
            work: "recode-jpeg",
            file: "05mp.jpg",
            repetitions: 8
        ) { data in
            {
                let image = KFCrossPlatformImage(data: data)
                guard let again = image?.kf.jpegRepresentation(compressionQuality: 0.8) else {
                    throw BenchmarkError("no image was decoded")
                }
                return again.count
            }
        },
    ]

    private static func png(
        _ name: String,
        _ file: String,
        size: (width: Int, height: Int),
        _ what: String
    ) -> Benchmark {
        Benchmark(
            name: name,
            title: "\(what) to PNG",
            work: "encode-png-\(size.width)x\(size.height)",
            file: file,
            repetitions: 2,
            targets: [
                .time(0.5, of: "libpng 6"), .size(1, of: "libpng 6"),
                .time(0.5, of: "libpng 5"), .size(1, of: "libpng 5"),
                .time(0.5, of: "libpng 3"), .size(1, of: "libpng 3"),
            ]
        ) { data in
            let image = try RawImage.make(of: data, width: size.width, height: size.height)
            return {
                guard let file = image.kf.pngRepresentation() else {
                    throw BenchmarkError("no file came out")
                }
                return file.count
            }
        }
    }
}
