import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Whatever a document contains, it costs at most its own image.
@Suite(.enabled(if: DocumentBench.hasPoppler), .serialized, .timeLimit(.minutes(5)))
struct HostilePDFTests {
    private static func outcome(_ file: Data, on pool: WorkerPool) async -> DocumentError? {
        var provider = PDFPageDataProvider(data: file, dpi: 20, cacheKey: "hostile")
        provider.pool = pool
        do {
            _ = try await provider.data()
            return nil
        } catch {
            return error as? DocumentError ?? .unreadable("another error: \(error)")
        }
    }

    @Test func `DOC-5: damaged documents fail or are drawn, and the next is drawn`() async throws {
        let pool = DocumentBench.pool(time: .seconds(5))
        let files = try ["two.pdf", "turned.pdf", "locked.pdf"].map {
            [UInt8](try Data(contentsOf: DocumentBench.url($0)))
        }
        for seed in FuzzSeeds(usually: 150) {
            var random = SplitMix(seed: seed)
            let round = Int(truncatingIfNeeded: seed & 0xFFFF)
            var bytes = files[round % files.count]
            for _ in 0...(round % 9) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            if round % 4 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            switch await Self.outcome(Data(bytes), on: pool) {
            case nil, .unreadable, .wrongPassword, .noSuchPage, .tooLarge, .outOfMemory: break
            case .isolationFailed(let failure): print("document of seed \(seed): \(failure)")
            case let other?: Issue.record("\(other)")
            }
        }
        #expect(await Self.outcome(DocumentBench.pdf(), on: pool) == nil)
        pool.stop()
    }

    @Test func `DOC-5: absurd sizes, counts and loops are refused or drawn in time`() async throws {
        let pool = DocumentBench.pool(time: .seconds(5))
        let endless = "/Resources<</XObject<</A 5 0 R>>>>"
        let form = """
            5 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A 5 0 R>>>>\
            /Length 10>>stream
            /A Do /A Do
            endstream endobj
            """
        let documents: [String: Data] = [
            "huge": DocumentBench.pdf(page: "/MediaBox[0 0 1000000000 1000000000]"),
            "wide": DocumentBench.pdf(page: "/MediaBox[0 0 100000000 1]"),
            "empty": DocumentBench.pdf(page: "/MediaBox[0 0 0 0]"),
            "not a number": DocumentBench.pdf(page: "/MediaBox[0 0 1e999 -1e999]"),
            "no box": DocumentBench.pdf(page: ""),
            "itself": DocumentBench.pdf(
                page: "/MediaBox[0 0 9 9]\(endless)",
                contents: "/A Do",
                objects: form
            ),
            "states": DocumentBench.pdf(contents: String(repeating: "q ", count: 200_000)),
            "nothing": Data(),
            "text": Data("%PDF-1.4".utf8),
            "loop": Data(
                """
                %PDF-1.4
                1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
                2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>endobj
                trailer<</Root 1 0 R>>
                """.utf8
            ),
        ]
        for (name, file) in documents {
            switch await Self.outcome(file, on: pool) {
            case nil, .unreadable, .noSuchPage, .tooLarge, .outOfMemory: break
            case .isolationFailed(let failure): print("document \(name): \(failure)")
            case let other?: Issue.record("\(name): \(other)")
            }
        }
        #expect(
            await Self.outcome(try #require(documents["huge"]), on: pool)
                == .tooLarge(width: 277_777_778, height: 277_777_778)
        )
        #expect(await Self.outcome(DocumentBench.pdf(), on: pool) == nil)
        pool.stop()
    }

    /// A worker ends when it calls what its walls forbid, so a pool without failures made no such
    /// call, and what asks for files does without.
    @Test func `DOC-6: scripts, links and files from outside are not used`() async throws {
        let pool = DocumentBench.pool()
        let font = "/Resources<</Font<</F 5 0 R>>>>/MediaBox[0 0 100 100]"
        let text = "BT /F 20 Tf 5 40 Td (Text) Tj ET"
        let type = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
        let korean = """
            <</Type/Font/Subtype/Type0/BaseFont/A/Encoding/KSCms-UHC-H/DescendantFonts[<<\
            /Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)\
            /Ordering(Korea1)/Supplement 1>>/FontDescriptor<</Type/FontDescriptor/FontName/A>>>>]>>
            """
        let actions = [
            "<</S/JavaScript/JS(app.alert\\(1\\))>>", "<</S/Launch/F(/bin/sh)>>",
            "<</S/URI/URI(http://127.0.0.1/)>>", "<</S/GoToR/F(/etc/passwd)/D[0/Fit]>>",
        ]
        let outside = """
            5 0 obj<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8\
            /ColorSpace/DeviceGray/F(/etc/passwd)/Length 0>>stream
            endstream endobj
            """
        let blank = try await Self.data(DocumentBench.pdf(contents: ""), on: pool)
        for (entry, hasText) in [(type, true), (korean, false)] {
            let file = DocumentBench.pdf(
                page: font,
                contents: text,
                objects: "5 0 obj\(entry)endobj"
            )
            // The installed fonts are used; tables of characters are files that nothing opens.
            #expect(try await (Self.data(file, on: pool) != blank) == hasText)
        }
        for action in actions {
            let annotation = "/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A 9 0 R>>]"
            let file = DocumentBench.pdf(
                page: "/MediaBox[0 0 100 100]\(annotation)",
                contents: "",
                objects: "9 0 obj\(action)endobj"
            )
            _ = try await Self.data(file, on: pool)
        }
        _ = await Self.outcome(
            DocumentBench.pdf(
                page: "/MediaBox[0 0 9 9]/Resources<</XObject<</A 5 0 R>>>>",
                contents: "9 0 0 9 0 0 cm /A Do",
                objects: outside
            ),
            on: pool
        )
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    private static func data(_ file: Data, on pool: WorkerPool) async throws -> Data {
        var provider = PDFPageDataProvider(data: file, cacheKey: "hostile")
        provider.pool = pool
        return try await provider.data()
    }

    @Test(arguments: DocumentBench.takenOver)
    func `DOC-6: a worker for documents that was taken over can do no more than another`(
        fault: String
    ) async throws {
        let pool = DocumentBench.pool(time: .seconds(2))
        let error = await Self.outcome(WorkerBench.file(fault), on: pool)
        DocumentBench.expectEnd(of: error, by: fault)
        pool.stop()
    }

    /// The call fails, rather than ending the worker, and nothing was opened.
    @Test func `DOC-6: a worker for documents opens no file`() async throws {
        let pool = DocumentBench.pool()
        let error = await Self.outcome(WorkerBench.file("openFile"), on: pool)
        #expect(error == .unreadable("it is no PDF document, or a damaged one"))
        let found = await Self.outcome(WorkerBench.file("opens"), on: pool)
        #expect(found == .unreadable("it is no PDF document, or a damaged one"))
        #expect(pool.failureCount == 0)
        pool.stop()
    }
}
