import Foundation

extension Benchmarks {
    /// From twelve megapixels to 400 × 400, bytes to bytes.
    static let thumbnails = [
        thumbnail("thumbnail", "12mp-dense.jpg", of: "a dense 12 MP JPEG", jpegTargets),
        thumbnail("thumbnail-photo", "12mp-photo.jpg", of: "a 12 MP photograph", jpegTargets),
        thumbnail(
            "thumbnail-2",
            "12mp-dense.jpg",
            of: "a dense 12 MP JPEG on two threads",
            threads: 2,
            jpegTargets
        ),
        thumbnail(
            "thumbnail-progressive",
            "12mp-dense-progressive.jpg",
            of: "a progressive 12 MP JPEG",
            [
                .time(0.85, of: "libvips"), .time(0.85, of: "libvips C"),
                .time(1.05, of: "C turbo 2/8"),
            ]
        ),
        thumbnail(
            "thumbnail-png",
            "12mp-photo.png",
            of: "a 12 MP PNG",
            [.time(0.55, of: "libvips"), .time(0.55, of: "libvips C"), .megabytes(25)]
        ),
        thumbnail(
            "thumbnail-webp",
            "12mp-photo.webp",
            of: "a 12 MP WebP",
            [.time(0.8, of: "libvips"), .time(0.8, of: "libvips C")]
        ),
        thumbnail(
            "thumbnail-avif",
            "12mp-photo.avif",
            of: "a 12 MP AVIF",
            [.time(0.8, of: "libvips"), .time(0.8, of: "libvips C")]
        ),
    ]

    private static let jpegTargets: [Target] = [
        .time(0.65, of: "libvips"), .time(0.65, of: "libvips C"), .time(0.7, of: "Pillow"),
        .time(0.85, of: "Pillow-SIMD"),
        .time(1.05, of: "C turbo 2/8"), .time(1.2, of: "C turbo 1/8"),
        .memory(0.5, of: "libvips"), .memory(0.4, of: "libvips C"),
        .memoryOfCodecs(0.4, of: "libvips C"),
    ]

    // Half of our process's memory is allocated before the first image.
    private static let notes = [
        "The peak is that of a process. Ours has all of the library loaded, the downloader and",
        "Foundation too; that of the codecs alone only what decodes and encodes, as libvips' has.",
    ]

    private static func thumbnail(
        _ name: String,
        _ file: String,
        of what: String,
        threads: Int = 1,
        _ targets: [Target]
    ) -> Benchmark {
        let format = URL(fileURLWithPath: file).pathExtension
        return Benchmark(
            name: name,
            title: "\(what) to fit 400 × 400, as JPEG of quality 80",
            work: format == "jpg" ? "thumbnail-jpeg" : "thumbnail-\(format)",
            file: file,
            repetitions: 4,
            threads: threads,
            notes: notes,
            targets: targets
        ) { data in { try Thumbnail.make(of: data).count } }
    }
}
