import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

/// Metadata of sources in their results.
struct KeptMetadataTests {
    private let bench: RenderBench

    init() throws { bench = try RenderBench() }

    /// Exif of orientation 1 and 40 × 20 pixels, with an artist and a place.
    static let exif: Data = {
        let header: [UInt8] = "II*\0".utf8 + [8, 0, 0, 0, 4, 0]
        let entries: [[UInt8]] = [
            [0x00, 1, 4, 0, 1, 0, 0, 0, 40, 0, 0, 0], [0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0],
            [0x3B, 1, 2, 0, 4, 0, 0, 0, 65, 100, 97, 0],
            [0x25, 0x88, 4, 0, 1, 0, 0, 0, 62, 0, 0, 0],
        ]
        let place: [UInt8] = [1, 0, 0x1B, 0, 2, 0, 10, 0, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0]
        return Data(header + entries.joined() + [0, 0, 0, 0] + place + "PLACE-GPS\0".utf8)
    }()
    static let xmp = Data(
        """
        <rdf:RDF><x exif:GPSLatitude="PLACE-XMP" tiff:ImageWidth="40"/>\
        <dc:rights><rdf:Alt><rdf:li>Rita</rdf:li></rdf:Alt></dc:rights></rdf:RDF>
        """.utf8
    )
    static let iptc =
        Data([0x1C, 2, 116, 0, 3]) + Data("Ida".utf8) + [0x1C, 2, 90, 0, 4]
        + Data("CITY".utf8)

    /// A file with all metadata that its format holds.
    static func source(_ format: OutputFormat = .jpeg) throws -> Data {
        let file = try #require(TestPicture.quarters(40, 20).encoded(as: format, quality: 90))
        return try ImageMetadata(exif: exif, xmp: xmp, iptc: iptc)
            .added(to: file, dropsUnsupported: true)
    }

    private func texts(in file: Data) -> Set<String> {
        Set(
            ["Ada", "Rita", "Ida", "PLACE-GPS", "PLACE-XMP", "CITY"].filter {
                file.range(of: Data($0.utf8)) != nil
            }
        )
    }

    @Test("Without options, results have no metadata", arguments: [OutputFormat.jpeg, .png, .webp])
    func none(format: OutputFormat) async throws {
        let source = try Self.source(format)
        #expect(texts(in: source).count >= 4)
        for change: (inout ProcessingOptions) -> Void in [
            { _ in }, { $0.stripMetadata = true }, { $0.keepCopyright = false },
        ] {
            let result = try await bench.render(source, as: format, change)
            #expect(texts(in: result.result.data) == [])
            #expect(try ImageMetadata(of: result.result.data).isEmpty)
        }
    }

    @Test("strip_metadata:0 keeps what the format holds", arguments: OutputFormat.allCases)
    func all(format: OutputFormat) async throws {
        guard format.isWritable else { return }
        let result = try await bench.render(Self.source(), as: format) {
            ($0.stripMetadata, $0.keepCopyright, $0.width) = (false, true, 10)
        }
        #expect(result.size == [10, 5])
        let expected: Set<String> =
            switch format {
            case .jpeg: ["Ada", "Rita", "Ida", "PLACE-GPS", "PLACE-XMP", "CITY"]
            case .png, .webp, .avif: ["Ada", "Rita", "PLACE-GPS", "PLACE-XMP"]
            case .gif: ["Rita", "PLACE-XMP"]
            case .jxl: []
            }
        #expect(texts(in: result.result.data) == expected)
        guard !expected.isEmpty, format != .avif, format != .gif else { return }
        let kept = try ImageMetadata(of: result.result.data)
        #expect(kept.exif?.dropFirst(18).first == 10)
        #expect(kept.xmp?.range(of: Data("tiff:ImageWidth=\"10\"".utf8)) != nil)
    }

    @Test("keep_copyright:1 keeps names and no places", arguments: OutputFormat.allCases)
    func copyright(format: OutputFormat) async throws {
        guard format.isWritable else { return }
        for source in [OutputFormat.jpeg, .png, .webp] {
            let result = try await bench.render(Self.source(source), as: format) {
                $0.keepCopyright = true
            }
            let expected: Set<String> =
                switch format {
                case .jpeg: source == .jpeg ? ["Ada", "Rita", "Ida"] : ["Ada", "Rita"]
                case .png, .webp, .avif: ["Ada", "Rita"]
                case .gif: ["Rita"]
                case .jxl: []
                }
            #expect(texts(in: result.result.data) == expected)
        }
    }

    @Test("The configuration sets the defaults, and URLs override it")
    func defaults() async throws {
        var settings = RendererSettings()
        (settings.stripsMetadata, settings.keepsCopyright) = (false, true)
        let open = try RenderBench(settings)
        let source = try Self.source()
        #expect(texts(in: try await open.render(source, as: .jpeg) { _ in }.result.data).count == 6)
        let names = try await open.render(source, as: .jpeg) { $0.stripMetadata = true }
        #expect(texts(in: names.result.data) == ["Ada", "Rita", "Ida"])
        let none = try await open.render(source, as: .jpeg) {
            ($0.stripMetadata, $0.keepCopyright) = (true, false)
        }
        #expect(texts(in: none.result.data) == [])
        let environment = ["IMGPROXY_STRIP_METADATA": "0", "IMGPROXY_KEEP_COPYRIGHT": "1"]
        let configuration = try ServiceConfiguration(environment: environment)
        let configured = configuration.rendererSettings(watermark: nil)
        #expect(!configured.stripsMetadata && configured.keepsCopyright)
        let usual = ServiceConfiguration().rendererSettings(watermark: nil)
        #expect(usual.stripsMetadata && !usual.keepsCopyright)
    }

    @Test("Turned pixels are stated as upright", arguments: [3, 6, 8])
    func orientation(orientation: Int) async throws {
        let source = try TestPicture.oriented(orientation, 40, 20)
        for turns in [true, false] {
            let result = try await bench.render(source, as: .jpeg) {
                ($0.stripMetadata, $0.autoRotate) = (false, turns)
            }
            #expect(result.result.data.range(of: Data("Exif".utf8)) != nil)
            #expect(try ImageFileInfo(data: result.result.data).orientation == 1)
            if turns { #expect(result.quarters == "rgbw") }
        }
    }

    @Test("An animation keeps metadata and its frames")
    func animation() async throws {
        let animation = try TestAnimation.webP(frames: 4)
        let source = try ImageMetadata(exif: Self.exif, xmp: Self.xmp).added(to: animation)
        var settings = RendererSettings()
        settings.limits.animationFrames = 10
        let result = try await RenderBench(settings).render(source, as: .webp) {
            ($0.stripMetadata, $0.width) = (false, 4)
        }
        #expect(try ImageFileInfo(data: result.result.data).frameCount == 4)
        #expect(texts(in: result.result.data) == ["Ada", "Rita", "PLACE-GPS", "PLACE-XMP"])
    }

    @Test("max_bytes counts metadata")
    func maxBytes() async throws {
        let photo = try #require(TestPicture.photo(200, 150).encoded(as: .jpeg, quality: 95))
        let padding = String(repeating: " ", count: 5_000)
        let xmp = Data("<rdf:RDF>\(padding)</rdf:RDF>".utf8)
        let source = try ImageMetadata(xmp: xmp).added(to: photo)
        let plain = try await bench.render(photo, as: .jpeg) { $0.maximalBytes = 9_000 }
        let result = try await bench.render(source, as: .jpeg) {
            ($0.stripMetadata, $0.maximalBytes) = (false, 9_000)
        }
        #expect(result.result.data.count <= 9_100)
        #expect(try #require(result.result.quality) < #require(plain.result.quality))
    }

    @Test("Damaged and hostile metadata costs no result")
    func damaged() async throws {
        let plain = try #require(TestPicture.quarters(40, 20).encoded(as: .jpeg, quality: 90))
        var hostile: [Data] = []
        for place in 0..<Self.exif.count {
            var exif = Self.exif
            exif[place] ^= 0xFF
            hostile.append(exif)
            hostile.append(Self.exif.prefix(place))
        }
        for exif in hostile {
            let body = Data("Exif\0\0".utf8) + exif
            let length = body.count + 2
            let segment = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]) + body
            let source = plain.prefix(2) + segment + plain.dropFirst(2)
            for keeps in [false, true] {
                let result = try await bench.render(source, as: .jpeg) {
                    ($0.stripMetadata, $0.keepCopyright, $0.width) = (keeps, true, 10)
                }
                #expect(try ImageFileInfo(data: result.result.data).orientation == 1)
            }
        }
    }
}
