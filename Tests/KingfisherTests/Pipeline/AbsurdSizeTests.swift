import Foundation
import KFCodecs
import KFPixels
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Headers that claim more pixels than an `Int` can count bytes for.
@Suite(.timeLimit(.minutes(1)))
struct AbsurdSizeTests {
    enum Kind: CaseIterable { case png, apng, bmp, ico }

    private let folder: TemporaryDirectory
    private let transport = FakeTransport()
    private let manager: KingfisherManager

    init() throws {
        folder = try TemporaryDirectory()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "absurd", transport: transport),
            cache: try ImageCache(name: "absurd", cacheDirectoryURL: folder.url)
        )
    }

    private static let processors: [any ImageProcessor] = [
        DefaultImageProcessor(), BlurImageProcessor(blurRadius: 3),
        DownsamplingImageProcessor(size: CGSize(width: 10, height: 10)),
        PaddingImageProcessor(all: 10) |> RotatingImageProcessor(degrees: 10),
        AnimatedImageProcessor(ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 9))),
    ]

    @Test(arguments: Kind.allCases)
    func `a header of absurd size is an error from every source`(kind: Kind) async throws {
        let data = Self.file(kind)
        let claimed = try Codecs.inspect(data).displaySize
        #expect(claimed.byteCount > Int.max / 4)
        let file = folder.file("absurd")
        try data.write(to: file)
        let dataURL = try #require(
            URL(string: "data:image/png;base64,\(data.base64EncodedString())")
        )
        for processor in Self.processors {
            for url in [file, dataURL] {
                await fails { try await load(url, processor) }
            }
            let web = try #require(URL(string: "http://127.0.0.1/\(transport.transfers.count)"))
            let count = transport.transfers.count
            async let ended: Void = fails { try await load(web, processor) }
            await transport.started(count + 1)
            try transport.transfer(count).complete(data)
            await ended
        }
    }

    @Test(arguments: [Int.max, Int.max / 2 + 1, 1 << 62])
    func `pixels of absurd size are no image`(side: Int) {
        #expect(KFCrossPlatformImage(premultipliedRGBA: Data(), width: side, height: 1) == nil)
        #expect(KFCrossPlatformImage(premultipliedRGBA: Data(), width: side, height: side) == nil)
    }

    private func load(_ url: URL, _ processor: any ImageProcessor) async throws {
        _ = try await manager.retrieveImage(with: url, options: [.processor(processor)])
    }

    private func fails(_ body: () async throws -> Void) async {
        let error = await #expect(throws: KingfisherError.self) { try await body() }
        guard case .processorError = error else {
            Issue.record("not the processor's error: \(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains("limit") == true)
    }

    // MARK: Files

    private static let side: UInt32 = 0x7FFF_FFFF

    static func file(_ kind: Kind) -> Data {
        switch kind {
        case .png: return png([])
        case .apng: return png([("acTL", bigEndian(2) + bigEndian(0))])
        case .bmp:
            var file = Data("BM".utf8) + littleEndian(54) + littleEndian(0) + littleEndian(54)
            file += littleEndian(40) + littleEndian(side) + littleEndian(side)
            return file + Data([1, 0, 24, 0]) + Data(count: 24)
        case .ico:
            let image = png([])
            let entry = Data([0, 0, 0, 0, 1, 0, 32, 0])
            return Data([0, 0, 1, 0, 1, 0]) + entry + littleEndian(UInt32(image.count))
                + littleEndian(22) + image
        }
    }

    private static func png(_ extra: [(String, Data)]) -> Data {
        let header = bigEndian(side) + bigEndian(side) + Data([8, 6, 0, 0, 0])
        let chunks = [("IHDR", header)] + extra + [("IDAT", Data([0x78, 0x9C])), ("IEND", Data())]
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunks.reduce(Data()) { file, chunk in
                let body = Data(chunk.0.utf8) + chunk.1
                return file + bigEndian(UInt32(chunk.1.count)) + body + bigEndian(checksum(body))
            }
    }

    private static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
            }
        }
    }

    private static func bigEndian(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }

    private static func littleEndian(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }
}
