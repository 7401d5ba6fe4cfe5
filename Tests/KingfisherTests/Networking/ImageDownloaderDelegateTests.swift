import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The calls that a downloader's delegate receives, and the effect of its decisions.
@Suite(.timeLimit(.minutes(1)))
struct ImageDownloaderDelegateTests {
    let bench: TestBench
    let downloader: ImageDownloader

    init() throws {
        bench = try TestBench()
        downloader = bench.downloader
    }

    private func load(_ url: URL) async -> Result<ImageLoadingResult, KingfisherError> {
        await withCheckedContinuation { continuation in
            downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
                continuation.resume(returning: $0)
            }
        }
    }

    @Test func `DL-35, DL-36, DL-38: the delegate is called in order, once each`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let witness = Witness()
        downloader.delegate = witness
        _ = try await load(url).get()
        #expect(witness.lines.value == ["will", "data", "finished 200", "image"])
    }

    @Test func `DL-8, DL-35, DL-38: a joining caller is not announced, and has its own image`()
        async throws
    {
        let gate = ServerGate()
        let data = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg", .held(gate, then: .body(data, type: "image/jpeg")))
        let url = bench.server.url("/a.jpg")
        let witness = Witness()
        downloader.delegate = witness
        async let one = load(url)
        await bench.server.received(1)
        async let two = load(url)
        while downloader.downloads.running.first?.callerCount != 2 { await Task.yield() }
        gate.open()
        _ = try await (one.get(), two.get())
        #expect(witness.lines.value.prefix(3) == ["will", "data", "finished 200"])
        #expect(witness.lines.value.filter { $0 == "image" }.count == 2)
    }

    @Test func `DL-36: a refused code ends with an error and no response`() async {
        bench.server.route("/a.jpg", .status(404))
        let witness = Witness()
        downloader.delegate = witness
        _ = await load(bench.server.url("/a.jpg"))
        #expect(witness.lines.value == ["will", "failed"])
    }

    @Test func `DL-37, W-37: a cancelled caller is no end of the download`() async throws {
        let gate = ServerGate()
        let data = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg", .held(gate, then: .body(data, type: "image/jpeg")))
        let url = bench.server.url("/a.jpg")
        let witness = Witness()
        downloader.delegate = witness
        async let stays = load(url)
        await bench.server.received(1)
        downloader.downloadImage(with: url, completionHandler: { _ in }).cancel()
        gate.open()
        _ = try await stays.get()
        #expect(witness.lines.value == ["will", "data", "finished 200", "image"])
    }

    @Test func `DL-19, DL-23: the data hook changes the bytes or fails the download`() async throws
    {
        let jpeg = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg", .text("not a picture"))
        let witness = Witness()
        witness.replacement.change { $0 = jpeg }
        downloader.delegate = witness
        let result = try await load(bench.server.url("/a.jpg")).get()
        #expect(result.originalData == jpeg)
        witness.replacement.change { $0 = .some(nil) }
        guard
            case .failure(.responseError(.dataModifyingFailed)) = await load(
                bench.server.url("/a.jpg")
            )
        else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func `DL-24, DL-23: the code is checked before the response hook, which can cancel`()
        async
    {
        let witness = Witness()
        witness.disposition.change { $0 = .cancel }
        downloader.delegate = witness
        bench.server.route("/a.jpg", .status(500))
        guard
            case .failure(.responseError(.invalidHTTPStatusCode)) = await load(
                bench.server.url("/a.jpg")
            )
        else {
            Issue.record("the code was not refused")
            return
        }
        #expect(!witness.lines.value.contains("response"))
        bench.serveJPEG("/a.jpg")
        guard
            case .failure(.responseError(.cancelledByDelegate)) = await load(
                bench.server.url("/a.jpg")
            )
        else {
            Issue.record("the delegate was not heard")
            return
        }
    }

    @Test func `DL-40: the delegate is weak, and the defaults apply without it`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        weak var gone: Witness?
        do {
            let witness = Witness()
            witness.disposition.change { $0 = .cancel }
            downloader.delegate = witness
            gone = witness
        }
        #expect(gone == nil)
        #expect(downloader.delegate == nil)
        _ = try await load(url).get()
    }
}

/// Records the calls that a delegate receives.
private final class Witness: ImageDownloaderDelegate, Sendable {
    let lines = Locked<[String]>([])
    /// The outer nil leaves the bytes unchanged; the inner nil rejects them.
    let replacement = Locked<Data??>(nil)
    let disposition = Locked(URLSession.ResponseDisposition.allow)

    private func note(_ line: String) { lines.change { $0.append(line) } }

    func imageDownloader(
        _ downloader: ImageDownloader,
        willDownloadImageForURL url: URL,
        with request: URLRequest?
    ) { note("will") }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        note(error == nil ? "finished \(status ?? 0)" : status == nil ? "failed" : "odd")
    }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        for url: URL
    ) -> Data? {
        note("data")
        guard let replacement = replacement.value else { return data }
        return replacement
    }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    ) { note("image") }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        if disposition.value == .cancel { note("response") }
        return disposition.value
    }
}
