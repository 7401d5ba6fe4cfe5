import Dispatch
import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ProgressReporterTests {
    /// Returns when the main queue has done what was queued before.
    private func drain() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    @Test func `a report after the completion is dropped`() async {
        let reports = Locked<[Int64]>([])
        let reporter = ProgressReporter { received, _ in reports.change { $0.append(received) } }
        reporter.report(1, 3)
        await drain()
        reporter.report(2, 3)
        await reporter.end()
        reporter.report(3, 3)
        await drain()
        #expect(reports.value.contains(1))
        #expect(!reports.value.contains(3))
    }

    @Test func `a completion on another queue waits for a running handler`() async {
        let order = Locked<[String]>([])
        let (begun, goesOn, completed) = (Gate(), DispatchSemaphore(value: 0), Gate())
        let reporter = ProgressReporter { _, _ in
            begun.open()
            goesOn.wait()
            order.change { $0.append("progress") }
        }
        reporter.report(1, 2)
        await begun.wait()
        reporter.end(on: .untouch) {
            order.change { $0.append("completion") }
            completed.open()
        }
        #expect(order.value == [])
        goesOn.signal()
        await completed.wait()
        #expect(order.value == ["progress", "completion"])
    }

    @Test func `a handler may lead to the completion itself`() async {
        let order = Locked<[String]>([])
        let box = Locked<ProgressReporter?>(nil)
        let reporter = ProgressReporter { _, _ in
            box.value?.end(on: .untouch) { order.change { $0.append("completion") } }
            order.change { $0.append("progress ends") }
        }
        box.change { $0 = reporter }
        reporter.report(1, 2)
        await drain()
        #expect(order.value == ["completion", "progress ends"])
        box.change { $0 = nil }
    }

    @Test(arguments: [true, false])
    func `no progress follows the completion of a load whose main queue is late`(
        usesDownloader: Bool
    ) async throws {
        let bench = try TestBench()
        let url = bench.serveJPEG("/a.jpg")
        let order = Locked<[String]>([])
        let release = DispatchSemaphore(value: 0)
        // Nothing is reported before the completion is called.
        DispatchQueue.main.async { release.wait() }
        let progress: DownloadProgressBlock = { _, _ in order.change { $0.append("progress") } }
        await withCheckedContinuation { continuation in
            let ended = { @Sendable in
                order.change { $0.append("completion") }
                continuation.resume()
            }
            if usesDownloader {
                bench.manager.downloader.downloadImage(
                    with: url,
                    options: [.callbackQueue(.untouch)],
                    progressBlock: progress
                ) { _ in ended() }
            } else {
                bench.manager.retrieveImage(
                    with: url,
                    options: [.callbackQueue(.untouch)],
                    progressBlock: progress
                ) { _ in ended() }
            }
        }
        release.signal()
        await drain()
        #expect(order.value == ["completion"])
    }
}
