import Foundation
import Kingfisher
import Testing

/// `--keep`: the metadata of encoded files.
@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let photo = try TestPictures.jpeg()
        try TestExif.jpeg(photo).write(to: folder.url.appending(path: "in.jpg"))
        try photo.write(to: folder.url.appending(path: "plain.jpg"))
    }

    private func get(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["get"] + arguments, in: folder)
    }

    private func info(_ name: String) throws -> ImageFileInfo {
        try ImageFileInfo(data: try folder.data(name))
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `exif stays, for upright pixels of the new size, without its thumbnail`(
        ending: String
    ) async throws {
        let output = "out.\(ending)"
        let outcome = try await get(
            "in.jpg",
            "-p",
            "resize:x100",
            "-o",
            output,
            "--keep",
            "exif"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let info = try info(output)
        #expect(info.orientation == 1)
        #expect(info.size == CGSize(width: 75, height: 100))
        #expect(!info.hasColorProfile)
        #expect(KFCrossPlatformImage(data: try folder.data(output))?.pixelHeight == 100)
        let data = try folder.data(output)
        #expect(data.contains(TestExif.camera))
        #expect(!data.contains(TestExif.thumbnail))
        // The entry of the width: its tag, its type LONG, one value.
        let width = Data([0x02, 0xA0, 4, 0, 1, 0, 0, 0, 75, 0, 0, 0])
        #expect(data.firstRange(of: width) != nil)
    }

    @Test func `an image of a cached source has its metadata and its format`() async throws {
        _ = try await get("in.jpg", "--cache", "cache")
        // Made of the cached source, and from the cache itself.
        for _ in 0..<2 {
            let options = ["-p", "resize:x90", "-o", "out/", "--keep", "exif", "--force"]
            let outcome = try await KFProgram.run(
                ["get", "in.jpg", "--cache", "cache"] + options,
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let data = try folder.data("out/in.jpg")
            #expect(data.kf.imageFormat == .JPEG)
            #expect(data.contains(TestExif.camera))
        }
    }

    @Test func `the line of a file says that its position was removed`() async throws {
        let photo = TestExif.jpeg(try TestPictures.jpeg(), exif: TestExif.located)
        try photo.write(to: folder.url.appending(path: "placed.jpg"))
        let outcome = try await KFProgram.run(
            ["convert", "placed.jpg", "-o", "out", "--verbose"],
            in: folder
        )
        #expect(outcome.errors.contains(", without its position\n"), "\(outcome.errors)")
    }

    @Test func `the date of a TIFF is shown, and stays`() async throws {
        try TestExif.scan.write(to: folder.url.appending(path: "scan.tiff"))
        let outcome = try await get("scan.tiff", "-o", "out.jpg", "--keep", "date")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for name in ["scan.tiff", "out.jpg"] {
            let shown = try await KFProgram.run(["info", name], in: folder)
            #expect(shown.text.contains("taken    2024-05-06 07:08:09"), "\(shown.text)")
        }
    }

    @Test func `exif of an AVIF stays, and its copy has no position`() async throws {
        let photo = TestExif.jpeg(try TestPictures.jpeg(), exif: TestExif.located)
        try photo.write(to: folder.url.appending(path: "placed.jpg"))
        let made = try await get("placed.jpg", "-o", "in.avif", "--keep", "exif,gps")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try folder.data("in.avif").contains(TestExif.place))
        let outcome = try await get("in.avif", "-o", "out.jpg", "--keep", "exif")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out.jpg").contains(TestExif.camera))
        let copy = try await get("in.avif", "-o", "copy.avif")
        #expect(copy.status == 0, "\(copy.errors)")
        let data = try folder.data("copy.avif")
        #expect(data.contains(TestExif.camera))
        #expect(!data.contains(TestExif.place))
    }

    @Test(arguments: ["jpg", "webp"])
    func `a file whose source has a profile gets that of sRGB`(ending: String) async throws {
        let output = "out.\(ending)"
        let steps = ["-p", "resize:50x", "--quality", "100"]
        for (input, keep, has) in [
            ("in.jpg", "icc", true), ("in.jpg", "none", false), ("plain.jpg", "icc", false),
        ] {
            let outcome = try await KFProgram.run(
                ["get", input, "-o", output, "--keep", keep] + steps,
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try info(output).hasColorProfile == has, "\(input) \(keep)")
            #expect(try !folder.data(output).contains(TestExif.camera))
        }
    }

    @Test func `a transparent WebP stays transparent with metadata`() async throws {
        let outcome = try await get(
            "in.jpg",
            "-p",
            "round:50%",
            "-o",
            "out.webp",
            "--keep",
            "exif,icc"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try info("out.webp").hasAlpha)
        #expect(try info("out.webp").hasColorProfile)
        #expect(try TestPictures.pixel(try folder.data("out.webp"), x: 0, y: 0)[3] == 0)
    }

    @Test func `an unchanged file keeps everything unless told otherwise`() async throws {
        for arguments in [[], ["--keep", "all"]] {
            let outcome = try await KFProgram.run(
                ["get", "in.jpg", "-o", "same.jpg"] + arguments,
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.data("same.jpg") == folder.data("in.jpg"))
        }
        let outcome = try await get("in.jpg", "-o", "bare.jpg", "--keep", "none")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let bare = try folder.data("bare.jpg")
        #expect(!bare.contains(TestExif.camera) && !bare.contains(TestExif.thumbnail))
        // The pixels are not encoded again, so that their orientation is still needed.
        #expect(try info("bare.jpg").orientation == 6)
        #expect(try info("bare.jpg").hasColorProfile)
        #expect(bare.suffix(500) == (try folder.data("in.jpg")).suffix(500))
    }

    /// A photograph with a camera, a date, names and a position.
    private func photo(_ ending: String) throws -> Data {
        let packet =
            "<rdf:RDF exif:GPSLatitude='51,30.5N' camera='CAM'><dc:rights><rdf:li>Rita</rdf:li>"
            + "</dc:rights></rdf:RDF>"
        let pixels = try TestPictures.jpeg()
        let file =
            switch ending {
            case "jpg": pixels
            case "png": try TestPictures.png()
            default:
                try #require(KFCrossPlatformImage(data: pixels)?.kf.data(format: .WebP))
            }
        return try ImageMetadata(exif: Data(TestExif.located), xmp: Data(packet.utf8))
            .added(to: file)
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `a copy loses where a photo was taken, and nothing else`(ending: String) async throws {
        let file = try photo(ending)
        try file.write(to: folder.url.appending(path: "located.\(ending)"))
        let outcome = try await KFProgram.run(
            ["convert", "located.\(ending)", "-o", "out"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("removed where 1 photo was taken; --keep all keeps it"))
        let copy = try folder.data("out/located.\(ending)")
        #expect(copy.count == file.count)
        #expect(!copy.contains(TestExif.place) && !copy.contains("51,30.5N"))
        #expect(copy.contains(TestExif.camera) && copy.contains("Rita") && copy.contains("CAM"))
        let own = try #require(KFCrossPlatformImage(data: file))
        #expect(KFCrossPlatformImage(data: copy)?.pngData() == own.pngData())
        let asked = try await KFProgram.run(
            ["convert", "located.\(ending)", "-o", "all", "--keep", "all"],
            in: folder
        )
        #expect(asked.errors.isEmpty)
        #expect(try folder.data("all/located.\(ending)") == file)
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `date and names remain of all, without encoding again`(ending: String) async throws {
        let file = try photo(ending)
        try file.write(to: folder.url.appending(path: "located.\(ending)"))
        let outcome = try await KFProgram.run(
            [
                "convert", "located.\(ending)", "-o", "out", "--strip", "all", "--keep",
                "date,copyright", "--preserve-time",
            ],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let copy = try folder.data("out/located.\(ending)")
        #expect(copy.contains(TestExif.date) && copy.contains("Rita"))
        #expect(!copy.contains(TestExif.camera) && !copy.contains(TestExif.place))
        #expect(!copy.contains("CAM") && !copy.contains("51,30.5N"))
        let own = try #require(KFCrossPlatformImage(data: file))
        #expect(KFCrossPlatformImage(data: copy)?.pngData() == own.pngData())
        let times = try ["located.\(ending)", "out/located.\(ending)"].map {
            try FileManager.default.attributesOfItem(atPath: folder.path($0))[.modificationDate]
                as? Date
        }
        #expect(times[0] == times[1])
    }

    @Test func `an encoded file gets exif without the position unless it is asked for`()
        async throws
    {
        try photo("jpg").write(to: folder.url.appending(path: "located.jpg"))
        for (keep, has) in [("exif,xmp", false), ("exif,xmp,gps", true), ("all", true)] {
            let outcome = try await get(
                "located.jpg",
                "-p",
                "resize:40x",
                "-o",
                "s.jpg",
                "--keep",
                keep
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let data = try folder.data("s.jpg")
            #expect(data.contains(TestExif.camera))
            #expect(data.contains(TestExif.place) == has)
            #expect(data.contains("51,30.5N") == has)
        }
    }

    @Test func `an image from the cache keeps the metadata of its source`() async throws {
        for round in 1...2 {
            let outcome = try await get(
                "in.jpg",
                "-p",
                "resize:50x",
                "-o",
                "\(round).png",
                "--keep",
                "exif",
                "--cache",
                "cache",
                "--json"
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let fields = try GetTests.fields(outcome)
            #expect(fields["cacheType"] as? String == (round == 1 ? "none" : "disk"))
            #expect(try folder.data("\(round).png").contains(TestExif.camera))
        }
    }

    @Test func `AVIF keeps exif`() async throws {
        let outcome = try await get(
            "in.jpg",
            "-o",
            "out.avif",
            "-p",
            "resize:40x",
            "--keep",
            "exif"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let file = try folder.data("out.avif")
        #expect(file.contains(TestExif.camera))
        #expect(KFCrossPlatformImage(data: file)?.pixelWidth == 40)
    }

    @Test func `formats that cannot hold exif fail instead of losing it`() async throws {
        for format in ["gif"] {
            let outcome = try await get(
                "in.jpg",
                "-o",
                "out.\(format)",
                "-p",
                "resize:40x",
                "--keep",
                "exif"
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("Exif is not written to \(format.uppercased()) files"))
            let plain = try await get(
                "plain.jpg",
                "-o",
                "out.\(format)",
                "-p",
                "resize:40x",
                "--keep",
                "exif"
            )
            #expect(plain.status == 0, "\(plain.errors)")
        }
    }

    @Test(arguments: ["place", "exif,", "all,exif", ""])
    func `other metadata is refused with what there is`(list: String) async throws {
        let outcome = try await get("in.jpg", "-o", "out.png", "--keep", list)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("there are exif, xmp, iptc"))
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `of a copyright only the names remain`(ending: String) async throws {
        let packet =
            "<rdf:RDF camera='SECRET'><dc:rights><rdf:li>Rita</rdf:li></dc:rights></rdf:RDF>"
        let metadata = ImageMetadata(
            exif: Data(TestExif.block),
            xmp: Data(packet.utf8),
            iptc: Data([0x1C, 2, 80, 0, 3, 65, 100, 97])
        )
        try metadata.added(to: TestPictures.jpeg())
            .write(to: folder.url.appending(path: "named.jpg"))
        let output = "out.\(ending)"
        let outcome = try await get(
            "named.jpg",
            "-p",
            "resize:40x",
            "-o",
            output,
            "--keep",
            "copyright"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let data = try folder.data(output)
        #expect(data.contains("Rita"))
        #expect(data.contains("Ada") == (ending == "jpg"))
        #expect(!data.contains("SECRET") && !data.contains(TestExif.camera))
    }

    @Test func `all that the format holds is kept, and the rest is named`() async throws {
        let metadata = ImageMetadata(
            exif: Data(TestExif.block),
            iptc: Data([0x1C, 2, 80, 0, 3, 65, 100, 97])
        )
        try metadata.added(to: TestPictures.jpeg())
            .write(to: folder.url.appending(path: "named.jpg"))
        let outcome = try await get("named.jpg", "-o", "out.webp", "--keep", "all")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "kf: webp files cannot hold IPTC; left it out\n")
        #expect(try folder.data("out.webp").contains(TestExif.camera))
        let named = try await get("named.jpg", "-o", "b.webp", "--keep", "exif,iptc")
        #expect(named.status == 1)
        #expect(named.errors.contains("IPTC is not written to WEBP files; leave it out"))
    }

    @Test func `damaged exif never stops a conversion nor turns an image`() async throws {
        let photo = try TestPictures.jpeg(width: 32, height: 24)
        try FileManager.default.createDirectory(
            atPath: folder.path("many"),
            withIntermediateDirectories: true
        )
        var random = SystemRandomNumberGenerator()
        let values: [UInt8] = [0, 1, 7, 8, 0x7F, 0x80, 0xFF]
        for index in 0..<200 {
            var block = TestExif.block
            for _ in 0...(index % 5) {
                // Small numbers and the largest ones break offsets and counts most.
                block[Int.random(in: 0..<block.count, using: &random)] =
                    values.randomElement(using: &random) ?? 0
            }
            if index % 4 == 0 { block.removeLast(Int.random(in: 1..<block.count, using: &random)) }
            try TestExif.jpeg(photo, exif: block)
                .write(to: folder.url.appending(path: "many/\(index).jpg"))
        }
        let outcome = try await KFProgram.run(
            ["convert", "many", "-o", "out", "-p", "resize:16x", "--keep", "all"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        for index in 0..<200 {
            #expect(try info("out/\(index).jpg").orientation == 1)
        }
    }
}
