import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// What is private is gone after every command that promises it, or the command fails.
@Suite(.timeLimit(.minutes(2)))
struct RemovalTests {
    let folder: TemporaryFolder

    /// Texts of which none may remain.
    private static let texts = [TestExif.camera, TestExif.place, "Rita", "51,30.5N", "SECRET"]

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("in"),
            withIntermediateDirectories: true
        )
        for (name, file) in try Self.files() {
            try file.write(to: folder.url.appending(path: "in/\(name)"))
        }
    }

    /// Files of each format that is written, in each orientation, and in forms that are special.
    ///
    /// Their names differ before the suffix, too, because `kf get` numbers those that do not.
    private static func files() throws -> [(name: String, file: Data)] {
        let image = try TestPictures.twoColours(width: 40, height: 30)
        let (pixels, flat) = (try TestPictures.jpeg(width: 40, height: 30), try TestPictures.png())
        var files: [(String, Data)] = []
        for orientation in 1...8 {
            let parts = parts(orientation)
            let photo = try parts.added(to: pixels, keepsOrientation: orientation)
            let comment = Data([0xFF, 0xFE, 0, 8]) + Data("SECRET".utf8)
            files.append(
                ("photo\(orientation).jpg", photo.prefix(2) + comment + photo.dropFirst(2))
            )
            files.append(("mpo\(orientation).jpg", photo + photo))
            let small = try ImageOptimization.optimized(pixels)
            files.append(
                (
                    "small\(orientation).jpg",
                    try parts.added(to: small, keepsOrientation: orientation)
                )
            )
            files.append(
                ("flat\(orientation).png", try parts.added(to: flat, keepsOrientation: orientation))
            )
            let webp = try #require(image.kf.data(format: .WebP))
            files.append(
                ("web\(orientation).webp", try parts.added(to: webp, keepsOrientation: orientation))
            )
        }
        let pictures: [ScriptedPicture] = [
            .solid(.red, width: 40, height: 30), .solid(.blue, width: 40, height: 30),
        ]
        let animation = ScriptedAnimation(pictures, secondsEach: 0.2).image
        let parts = ImageMetadata(xmp: packet)
        for (name, format) in [("gif.gif", ImageFormat.GIF), ("moving.webp", .WebP)] {
            let file = try #require(animation.kf.animationRepresentation(format: format))
            files.append((name, try parts.added(to: file)))
        }
        if let avif = image.kf.data(format: .AVIF), avif.kf.imageFormat == .AVIF {
            let whole = ImageMetadata(exif: Data(TestExif.located), xmp: packet)
            files.append(("still.avif", try whole.added(to: avif)))
            let moving = try #require(animation.kf.animationRepresentation(format: .AVIF))
            files.append(("film.avif", moving + box("uuid", xmpNumber + packet)))
        }
        return files
    }

    private static let packet = Data(
        """
        <rdf:RDF exif:GPSLatitude='51,30.5N'><dc:rights><rdf:li>Rita</rdf:li></dc:rights>\
        <dc:title>SECRET</dc:title></rdf:RDF>
        """.utf8
    )

    private static let xmpNumber = Data([
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
        0xAC,
    ])

    private static func box(_ name: String, _ content: Data) -> Data {
        Data(withUnsafeBytes(of: UInt32(content.count + 8).bigEndian, Array.init))
            + Data(name.utf8) + content
    }

    private static func parts(_ orientation: Int) -> ImageMetadata {
        var exif = TestExif.located
        // The entry of the orientation: its tag, its type SHORT, one value.
        if let place = Data(exif).firstRange(of: Data([0x12, 1, 3, 0, 1, 0, 0, 0]))?.upperBound {
            exif[place] = UInt8(orientation)
        }
        return ImageMetadata(exif: Data(exif), xmp: packet)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("in")).sorted()
    }

    private func frames(_ file: Data) throws -> [Data?] {
        let options = ImageCreatingOptions(preloadAll: true)
        let image = try #require(
            KingfisherWrapper<KFCrossPlatformImage>
                .animatedImage(data: file, options: options)
        )
        return (image.images ?? [image]).map { $0.pngData() }
    }

    /// The tags that exiftool finds besides the orientation and the profile; nil without it.
    private func foundTags(_ name: String) async throws -> [String]? {
        let program = URL(fileURLWithPath: "/usr/bin/exiftool")
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
        let outcome = try await KFProgram.run(
            [
                "-a", "-G1", "-s", "-EXIF:all", "-XMP:all", "-IPTC:all", "-GPS:all", "-Comment",
                name,
            ],
            in: folder,
            program: program
        )
        return outcome.text.split(separator: "\n").map(String.init).filter {
            !$0.contains(" Orientation ") && !$0.contains("ICC_Profile")
                && !$0.contains("ExifByteOrder")
        }
    }

    @Test(arguments: [
        ["convert", "in", "-o", "out", "--strip", "all"],
        ["convert", "in", "-o", "out", "--keep", "none"],
        ["get", "*", "-o", "out/", "--strip", "all", "--cache", "none"],
        ["optimize", "*", "-o", "out/", "--strip"],
        ["optimize", "*", "-o", "out/", "--strip", "--isolate"],
        ["optimize", "*", "--strip", "--in-place"],
    ])
    func `all metadata is gone, and the pixels stay`(command: [String]) async throws {
        var names = try names()
        if command[0] == "optimize" {
            names.removeAll { $0.hasSuffix("webp") || $0.hasSuffix("avif") }
        }
        let sources = try names.map { try folder.data("in/\($0)") }
        let arguments = command.flatMap { $0 == "*" ? names.map { "in/" + $0 } : [$0] }
        let outcome = try await KFProgram.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("further images"), "\(outcome.errors)")
        for (name, source) in zip(names, sources) {
            let output = command.contains("--in-place") ? "in/\(name)" : "out/\(name)"
            let file = try folder.data(output)
            for text in Self.texts { #expect(!file.contains(text), "\(text) in \(output)") }
            #expect(try frames(file) == frames(source), "\(output)")
            let (before, after) = (try ImageFileInfo(data: source), try ImageFileInfo(data: file))
            #expect(before.orientation == after.orientation, "\(output)")
            if let tags = try await foundTags(output) { #expect(tags == [], "\(output)") }
        }
    }

    @Test(arguments: [
        ["convert", "in", "-o", "out"], ["convert", "in", "-o", "out", "--strip", "gps"],
        ["get", "*", "-o", "out/", "--cache", "none"],
        ["get", "*", "-o", "out/", "--strip", "gps", "--cache", "cache"],
    ])
    func `the position is gone from every copy, and the rest stays`(command: [String]) async throws
    {
        let names = try names()
        let arguments = command.flatMap { $0 == "*" ? names.map { "in/" + $0 } : [$0] }
        let outcome = try await KFProgram.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for name in names {
            let (source, file) = (try folder.data("in/\(name)"), try folder.data("out/\(name)"))
            #expect(!file.contains(TestExif.place) && !file.contains("51,30.5N"), "\(name)")
            #expect(file.contains("Rita"), "\(name)")
            #expect(try frames(file) == frames(source), "\(name)")
        }
    }
}

extension ImageMetadata {
    /// The file with the metadata, whose orientation is not that of upright pixels.
    fileprivate func added(to file: Data, keepsOrientation orientation: Int) throws -> Data {
        var made = try added(to: file)
        let entry = Data([0x12, 1, 3, 0, 1, 0, 0, 0])
        guard let place = made.firstRange(of: entry)?.upperBound else { return made }
        made[place] = UInt8(orientation)
        // The checksum of a PNG's chunk follows its content.
        if let chunk = made.firstRange(of: Data("eXIf".utf8)), made.kf.imageFormat == .PNG {
            let start = chunk.lowerBound
            let length = made[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
            let sum = TestPictures.checksum(Array(made[start..<start + 4 + length]))
            made.replaceSubrange(
                start + 4 + length..<start + 8 + length,
                with: withUnsafeBytes(of: sum.bigEndian, Array.init)
            )
        }
        return made
    }
}
