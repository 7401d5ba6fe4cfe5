import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Events of a downloader, and events that come too late to be delivered.
@Suite(.timeLimit(.minutes(1)))
struct DownloadEventTests {
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 40, height: 20)

    init() throws {
        downloader = ImageDownloader(name: "fake", transport: transport)
        downloader.resumption = nil
        url = try #require(URL(string: "http://host/a.jpg"))
    }

    private typealias Result = Swift.Result<ImageLoadingResult, KingfisherError>

    // MARK: Progress

    @Test(arguments: [true, false])
    func `DL-22: progress is reported on main, and only with a known length`(isKnown: Bool) async {
        let steps = Locked<[[Int64]]>([])
        // Without an application's main loop, the main queue need not run on the main thread.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let result: Result = await withCheckedContinuation { continuation in
            downloader.downloadImage(
                with: url,
                options: nil,
                progressBlock: { received, expected in
                    #expect(DispatchQueue.getSpecific(key: key) == true)
                    steps.change { $0.append([received, expected]) }
                },
                completionHandler: { continuation.resume(returning: $0) }
            )
            let transfer = transport.transfers.first
            transfer?.respond(length: isKnown ? jpeg.count : nil)
            transfer?.send(jpeg.prefix(100))
            transfer?.send(jpeg.dropFirst(100))
            transfer?.finish()
        }
        #expect(throws: Never.self) { try result.get() }
        await MainActor.run {}
        let length = Int64(jpeg.count)
        #expect(steps.value == (isKnown ? [[100, length], [length, length]] : []))
    }

    @Test func `DL-34: no progress and no second end after a cancel`() async throws {
        let steps = Locked(0)
        let ends = Locked(0)
        let task = downloader.start(
            url,
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]),
            progress: ProgressReporter { _, _ in steps.change { $0 += 1 } },
            completionHandler: { _ in ends.change { $0 += 1 } }
        )
        let transfer = try transport.transfer(0)
        transfer.respond(length: jpeg.count)
        task.cancel()
        transfer.send(jpeg)
        while ends.value == 0 { await Task.yield() }
        transfer.finish()
        #expect(steps.value == 0)
        #expect(ends.value == 1)
    }

    @Test func `DL-31: late events of a cancelled transfer are ignored`() async throws {
        let first = Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url)
        }
        first.cancel()
        _ = await #expect(throws: KingfisherError.self) { try await first.value }
        let second = Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url)
        }
        await transport.started(2)
        let late = try transport.transfer(0)
        late.respond(500)
        late.send(Data("nonsense".utf8))
        late.finish(.connectionLost(reason: "late", url: url))
        try transport.transfer(1).complete(jpeg)
        #expect(try await second.value.originalData == jpeg)
    }

    // MARK: The end of the downloader

    @Test func `DL-25, W-36: a downloader gone at the response still completes`() async throws {
        var downloader: ImageDownloader? = ImageDownloader(name: "short", transport: transport)
        let watcher = Watcher()
        downloader?.delegate = watcher
        let ends = Locked<[Result]>([])
        downloader?.downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        ) { result in ends.change { $0.append(result) } }
        downloader = nil
        let transfer = try transport.transfer(0)
        await withCheckedContinuation { continuation in
            transfer.respond(length: jpeg.count) { _ in continuation.resume() }
        }
        transfer.send(jpeg)
        transfer.finish()
        while ends.value.isEmpty { await Task.yield() }
        #expect(try ends.value.first?.get().originalData == jpeg)
        #expect(watcher.responses.value == 1)
    }

    // MARK: The session task

    @Test func `DL-32: joins, cancels, reads and pieces at once end each caller once`() async throws
    {
        let callers = 200
        let ends = Locked(0)
        let options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        let task = downloader.downloadImage(with: url, options: options) { _ in
            ends.change { $0 += 1 }
        }
        let transfer = try transport.transfer(0)
        transfer.respond()
        await withTaskGroup { group in
            group.addTask { for _ in 0..<500 { transfer.send(Data(repeating: 1, count: 700)) } }
            for _ in 0..<4 {
                group.addTask { [downloader, url] in
                    for index in 0..<(callers / 4) {
                        let own = downloader.downloadImage(with: url, options: options) { _ in
                            ends.change { $0 += 1 }
                        }
                        if index % 2 == 0 { own.cancel() }
                    }
                }
                group.addTask {
                    for _ in 0..<200 { _ = task.sessionTask?.mutableData.count }
                }
            }
        }
        transfer.finish()
        while ends.value < callers + 1 { await Task.yield() }
        #expect(ends.value == callers + 1)
        #expect(transport.transfers.count == 1)
    }

    @Test func `DL-32, W-6: a download is started once`() {
        let ticket = downloader.downloads.join(
            URLRequest(url: url),
            caller: DownloadCaller { _ in }
        )
        DispatchQueue.concurrentPerform(iterations: 16) { _ in ticket.download.start() }
        #expect(transport.transfers.count == 1)
        ticket.leave()
    }

    @Test func `DL-43: the bytes so far are an independent copy`() async throws {
        let load = downloader.downloadImage(with: url, options: []) { _ in }
        let task = try #require(load.sessionTask)
        let transfer = try transport.transfer(0)
        transfer.respond(length: 600_000)
        transfer.send(Data(repeating: 1, count: 200_000))
        var before = task.mutableData
        transfer.send(Data(repeating: 2, count: 200_000))
        #expect(before == Data(repeating: 1, count: 200_000))
        before[0] = 9
        #expect(task.mutableData.first == 1)
        #expect(task.mutableData.count == 400_000)
        load.cancel()
    }

    // MARK: Errors

    @Test func `W-9: every kind of cancel is recognised as a cancellation`() async throws {
        let byHandle: KingfisherError? = await withCheckedContinuation { continuation in
            downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) { result in
                if case .failure(let error) = result {
                    return continuation.resume(returning: error)
                }
                continuation.resume(returning: nil)
            }.cancel()
        }
        #expect(byHandle?.isCancellation == true)
        let load = Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url)
        }
        await transport.started(2)
        downloader.cancelAll()
        let byAll = await #expect(throws: KingfisherError.self) { try await load.value }
        #expect(byAll?.isCancellation == true)
        #expect(KingfisherError.cancelled(DownloadTask()).isCancellation)
    }

    // MARK: The delegate

    @Test func `DL-39: the data hook with the task goes before the one with the URL`()
        async throws
    {
        let delegate = BothHooks()
        delegate.replacement.change { $0 = jpeg }
        downloader.delegate = delegate
        let load = Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url)
        }
        let transfer = try transport.transfer(0)
        await withCheckedContinuation { continuation in
            transfer.respond { _ in continuation.resume() }
        }
        transfer.send(Data("x".utf8))
        transfer.finish()
        #expect(try await load.value.originalData == jpeg)
        #expect(delegate.calls.value == ["task http://host/a.jpg"])
    }
}

private final class Watcher: ImageDownloaderDelegate, Sendable {
    let responses = Locked(0)

    func imageDownloader(
        _ downloader: ImageDownloader,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        responses.change { $0 += 1 }
        return .allow
    }
}

private final class BothHooks: ImageDownloaderDelegate, Sendable {
    let calls = Locked<[String]>([])
    let replacement = Locked<Data?>(nil)

    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        with task: SessionDataTask
    ) -> Data? {
        calls.change { $0.append("task \(task.originalURL?.absoluteString ?? "")") }
        return replacement.value
    }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        for url: URL
    ) -> Data? {
        calls.change { $0.append("url") }
        return nil
    }
}
