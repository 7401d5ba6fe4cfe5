import Foundation
import Kingfisher
import KingfisherTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct FakeTransportTests {
    let transport = FakeTransport()
    let downloader: ImageDownloader
    let url: URL

    init() throws {
        downloader = ImageDownloader(name: "test", transport: transport)
        url = try #require(URL(string: "https://example.test/a.png"))
    }

    @Test func `an image is delivered as its answer says`() async throws {
        let picture = ScriptedPicture.solid(.red, width: 40, height: 30)
        transport.answer(url, with: .picture(picture))
        let result = try await downloader.downloadImage(with: url)
        #expect(result.image.size == CGSize(width: 40, height: 30))
        #expect(result.originalData == picture.data())
        #expect(transport.requests.map(\.url) == [url])
    }

    @Test func `answers come in turn, and the last one stays`() async throws {
        transport.answer(url, with: .status(503), .picture(.solid(.blue)))
        let error = await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: url)
        }
        #expect(error?.isInvalidResponseStatusCode(503) == true)
        for _ in 0..<2 { _ = try await downloader.downloadImage(with: url) }
        #expect(transport.transfers.count == 3)
    }

    @Test func `a failure is one`() async throws {
        transport.answer(url, with: .failure(.cannotResolve(host: "example.test", url: url)))
        let error = await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: url)
        }
        #expect(error?.errorCode == 2003)
        #expect(error?.localizedDescription.contains("example.test") == true)
    }

    @Test func `a downloader is released although its transport is kept`() async throws {
        transport.answer(url, with: .picture(.solid(.red)))
        weak var released: ImageDownloader?
        do {
            let downloader = ImageDownloader(name: "own", transport: transport)
            released = downloader
            _ = try await downloader.downloadImage(with: url)
        }
        // The last job of the load may still retain it for a moment.
        while released != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(transport.transfers.count == 1)
    }

    @Test func `other URLs get the answer for others`() async throws {
        transport.answer(url, with: .status(404))
        transport.answerOthers(with: .picture(.solid(.green, width: 2, height: 2)))
        let other = try #require(URL(string: "https://example.test/b.png"))
        let result = try await downloader.downloadImage(with: other)
        #expect(result.image.pixelWidth == 2)
    }

    @Test func `without an answer the test is the server`() async throws {
        let bytes = ScriptedPicture.solid(.red).data()
        async let result = downloader.downloadImage(with: url)
        await transport.started(1)
        let transfer = try transport.transfer(0)
        transfer.respond(length: bytes.count)
        transfer.send(bytes.prefix(20))
        transfer.send(bytes.dropFirst(20))
        transfer.finish()
        #expect(try await result.originalData == bytes)
    }

    @Test func `a withdrawn request is seen as cancelled`() async throws {
        let task = Task { try await downloader.downloadImage(with: url) }
        await transport.started(1)
        task.cancel()
        await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(try transport.transfer(0).isCancelled)
        try transport.transfer(0).finish()
    }

    @Test func `a refused answer sends no body`() async throws {
        transport.answer(url, with: .data(Data("no".utf8), status: 500))
        await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: url)
        }
        guard case .reject = try transport.transfer(0).disposition else {
            Issue.record("the status was not refused")
            return
        }
    }
}
