import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Pages of documents, drawn in workers.
@Suite(.enabled(if: DocumentBench.hasPoppler), .serialized, .timeLimit(.minutes(5)))
struct PDFPageTests {
    private static func bitmap(_ provider: PDFPageDataProvider) async throws -> Bitmap {
        let data = try await provider.data()
        return try #require(KFCrossPlatformImage(data: data)?.bitmap)
    }

    private static func page(
        _ name: String,
        _ page: Int = 1,
        dpi: Double = 144,
        password: String? = nil,
        isTransparent: Bool = false,
        on pool: WorkerPool
    ) -> PDFPageDataProvider {
        var provider = PDFPageDataProvider(
            url: DocumentBench.url(name),
            page: page,
            dpi: dpi,
            password: password,
            isTransparent: isTransparent
        )
        provider.pool = pool
        return provider
    }

    /// The largest difference of a channel.
    private static func difference(_ one: Bitmap, _ other: Bitmap) -> Int? {
        guard one.size == other.size else { return nil }
        let (width, height) = (4 * one.size.width, one.size.height)
        return one.withPixels { bytes, stride in
            other.withPixels { otherBytes, otherStride in
                var most = 0
                for y in 0..<height {
                    let (row, otherRow) = (bytes + y * stride, otherBytes + y * otherStride)
                    // Most rows are equal, and a debug build is slow in comparing bytes.
                    guard memcmp(row, otherRow, width) != 0 else { continue }
                    for x in 0..<width { most = max(most, abs(Int(row[x]) - Int(otherRow[x]))) }
                }
                return most
            }
        }
    }

    @Test func `DOC-1: pages equal poppler's own drawings`() async throws {
        let pool = DocumentBench.pool()
        let folder = try TemporaryDirectory()
        let cases: [(String, Int, Double, Bool)] = [
            ("two.pdf", 1, 72, false), ("two.pdf", 1, 100, false), ("two.pdf", 2, 144, false),
            ("turned.pdf", 1, 144, false), ("turned.pdf", 1, 97, true), ("two.pdf", 2, 200, true),
            // Its fonts are not part of it.
            ("helvetica.pdf", 1, 144, false),
        ]
        for (name, page, dpi, isTransparent) in cases {
            let drawn = try await Self.bitmap(
                Self.page(name, page, dpi: dpi, isTransparent: isTransparent, on: pool)
            )
            let target = folder.file("page")
            let isDone = try await DocumentBench.run(
                "/usr/bin/pdftocairo",
                ["-png", "-singlefile", "-cropbox", "-r", "\(dpi)", "-f", "\(page)"]
                    + (isTransparent ? ["-transp"] : [])
                    + [DocumentBench.url(name).path, target.path]
            )
            #expect(isDone)
            let expected = try #require(
                KFCrossPlatformImage(contentsOfFile: target.path + ".png")?.bitmap
            )
            let difference = try #require(Self.difference(drawn, expected), "\(drawn.size)")
            #expect(difference <= 1, "\(name) \(page) \(dpi)")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `DOC-2: a page fills a size, turned and cut as the document states`() async throws {
        let pool = DocumentBench.pool()
        // The crop box has 130 × 85 points, and is turned by 90°.
        var provider = PDFPageDataProvider(
            url: DocumentBench.url("turned.pdf"),
            size: CGSize(width: 200, height: 200)
        )
        provider.pool = pool
        #expect(try await Self.bitmap(provider).size == PixelSize(width: 131, height: 200))
        let info = try await PDFDocumentInfo(
            DocumentBytes(url: provider.url, data: nil),
            nil,
            pool
        )
        #expect(info.pageCount == 2)
        #expect(info.pageSize == CGSize(width: 85, height: 130))
        pool.stop()
    }

    @Test func `DOC-3: an encrypted document needs one of its passwords`() async throws {
        let pool = DocumentBench.pool()
        for password in [nil, "wrong", "x" + String(repeating: "é", count: 2500)] {
            await #expect(throws: DocumentError.wrongPassword) {
                try await Self.page("locked.pdf", password: password, on: pool).data()
            }
        }
        let open = try await Self.page("two.pdf", on: pool).data()
        for password in ["reader", "owner"] {
            let data = try await Self.page("locked.pdf", password: password, on: pool).data()
            #expect(data == open)
        }
        pool.stop()
    }

    @Test(arguments: [0, 3, -1, Int.min, Int.max])
    func `DOC-4: a page that is not there is named`(page: Int) async throws {
        let pool = DocumentBench.pool()
        await #expect(throws: DocumentError.noSuchPage(page: page, count: 2)) {
            try await Self.page("two.pdf", page, on: pool).data()
        }
        pool.stop()
    }

    @Test func `DOC-8: a load goes through the caches, isolated or not`() async throws {
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        let bench = try TestBench()
        let provider = PDFPageDataProvider(url: DocumentBench.url("two.pdf"), page: 2, dpi: 72)
        let shrinks = DownsamplingImageProcessor(size: CGSize(width: 50, height: 50))
        for further in [[], [KingfisherOptionsInfoItem.isolated]] {
            let options = further + [.processor(shrinks), .waitForCache]
            let first = try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: options
            )
            #expect(first.image.pixelWidth == 25)
            #expect(first.cacheType == (further.isEmpty ? .none : .memory))
        }
        bench.cache.clearMemoryCache()
        let third = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.processor(shrinks)]
        )
        #expect(third.cacheType == .disk)
    }

    @Test func `DOC-8: the file of a page that is delivered is compressed`() async throws {
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        let bench = try TestBench()
        let provider = PDFPageDataProvider(url: DocumentBench.url("two.pdf"), page: 2, dpi: 72)
        let delivered = try await bench.manager.retrieveOriginalData(
            with: .provider(provider),
            options: [.cacheMemoryOnly]
        )
        let alone = try await provider.data()
        #expect(delivered.data == alone)
    }

    @Test func `DOC-10: a page is drawn in the size that the processor of a load asks for`()
        async throws
    {
        let (pool, bench) = (DocumentBench.pool(), try TestBench())
        let url = DocumentBench.url("two.pdf")
        let info = try await PDFDocumentInfo(DocumentBytes(url: url, data: nil), nil, pool)
        let sizes = [CGSize(width: 60, height: 60), CGSize(width: 900, height: 900)]
        let processors: [any ImageProcessor] =
            sizes.map { DownsamplingImageProcessor(size: $0) }
            + [.aspectFit, .aspectFill, .none].flatMap { mode in
                sizes.map { ResizingImageProcessor(referenceSize: $0, mode: mode) }
            }
        for processor in processors {
            func image(_ dpi: Double?) async throws -> Bitmap {
                var provider = PDFPageDataProvider(url: url, dpi: dpi)
                provider.pool = pool
                let result = try await bench.manager.retrieveImage(
                    with: .provider(provider),
                    options: [.processor(processor), .forceRefresh]
                )
                return try #require(result.image.bitmap)
            }
            let (sized, usual) = (try await image(nil), try await image(144))
            #expect(abs(sized.width - usual.width) <= 1, "\(processor.identifier)")
            #expect(abs(sized.height - usual.height) <= 1, "\(processor.identifier)")
        }
        // Poppler's own drawing, not one that was resized.
        let box = CGSize(width: 60, height: 60)
        var direct = PDFPageDataProvider(url: url, size: box)
        direct.pool = pool
        let expected = try await Self.bitmap(direct)
        var provider = PDFPageDataProvider(url: url)
        provider.pool = pool
        let made = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.processor(DownsamplingImageProcessor(size: box)), .forceRefresh]
        )
        #expect(try Self.difference(#require(made.image.bitmap), expected) == 0)
        // An original in the cache is the page in its usual size.
        let kept = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [
                .processor(DownsamplingImageProcessor(size: box)), .cacheOriginalImage,
                .waitForCache, .forceRefresh,
            ]
        )
        #expect(kept.image.pixelWidth <= 60)
        let original = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.onlyFromCache]
        )
        let usual = Int((info.pageSize.width * 2).rounded(.up))
        #expect(original.image.pixelWidth == usual)
        let file = try await bench.manager.retrieveOriginalData(
            with: .provider(provider),
            options: [.cacheMemoryOnly, .forceRefresh]
        )
        #expect(KFCrossPlatformImage(data: file.data)?.pixelWidth == usual)
        pool.stop()
    }

    @Test func `DOC-7: keys name the page, its size and the version of the file`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.pdf")
        try Data("one".utf8).write(to: file)
        let one = PDFPageDataProvider(url: file, page: 2, dpi: 144)
        var others = [
            PDFPageDataProvider(url: file, page: 3, dpi: 144),
            PDFPageDataProvider(url: file, page: 2, dpi: 72),
            PDFPageDataProvider(url: file, page: 2, size: CGSize(width: 144, height: 144)),
            PDFPageDataProvider(url: file, page: 2, dpi: 144, isTransparent: true),
        ]
        try Data("second".utf8).write(to: file)
        others.append(PDFPageDataProvider(url: file, page: 2, dpi: 144))
        let keys = Set((others + [one]).map(\.cacheKey))
        #expect(keys.count == 6)
        let secret = PDFPageDataProvider(url: file, password: "secret")
        #expect(!secret.cacheKey.contains("secret"))
    }

    @Test func `DOC-8: a document is a local file to the policy of sources`() async throws {
        let bench = try TestBench()
        let provider = PDFPageDataProvider(url: DocumentBench.url("two.pdf"))
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: [.allowedSources(.remote)]
            )
        }
        #expect(error?.errorDescription?.contains("Local files are not allowed") == true)
    }

    @Test func `DOC-9: the package of a missing library is named`() throws {
        let fault = DocumentFault.missingLibrary("poppler", package: "libpoppler-glib8")
        guard case .fault(let received) = try DocumentAnswer(DocumentAnswer.fault(fault).message())
        else {
            Issue.record("the answer is no fault")
            return
        }
        let error = DocumentError(received, page: 1)
        #expect(
            error.localizedDescription
                == "The library poppler is not installed. Install the package libpoppler-glib8."
        )
    }
}
