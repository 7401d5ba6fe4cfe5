import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ObservingTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    @Test func `explain tells why each layer would miss or hit`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let never = bench.manager.explain(url)
        #expect(never.memory == .neverStored)
        #expect(never.disk == .neverStored)
        #expect(never.outcome == .download)
        #expect(bench.manager.explain(url, options: [.onlyFromCache]).outcome == .fails)
        #expect(bench.manager.explain(url, options: [.forceRefresh]).memory == .notAsked)

        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(bench.manager.explain(url).outcome == .cache(.memory))
        bench.cache.clearMemoryCache()
        let onDisk = bench.manager.explain(url)
        #expect(onDisk.outcome == .cache(.disk))
        #expect(onDisk.description.contains("comes from the disk"))

        let blur = BlurImageProcessor(blurRadius: 2)
        let blurred = bench.manager.explain(url, options: [.processor(blur)])
        #expect(blurred.disk == .otherProcessor([""]))
        #expect(blurred.outcome == .original)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `explain tells of expired images`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(
            with: url,
            options: [
                .memoryCacheExpiration(.seconds(0.01)), .diskCacheExpiration(.seconds(0.01)),
                .waitForCache,
            ]
        )
        while bench.cache.isCached(forKey: url.cacheKey) { await Task.yield() }
        let explanation = bench.manager.explain(url)
        guard case .expired? = explanation.memory, case .expired? = explanation.disk else {
            Issue.record("unexpected: \(explanation)")
            return
        }
        #expect(explanation.description.contains("ago"))
    }

    @Test func `events tell a load from start to end`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let seen = Locked<[String]>([])
        let observation = bench.manager.observeLoads { event in
            seen.change { $0.append("\(event.kind)") }
        }
        _ = try await bench.manager.retrieveImage(with: url)
        let fresh = seen.value
        #expect(fresh.first == "started")
        #expect(fresh.last?.hasPrefix("succeeded") == true)
        #expect(fresh.filter { $0.hasPrefix("began") }.count == 4)
        #expect(fresh.filter { $0.hasPrefix("miss") }.count == 2)
        observation.cancel()
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(seen.value.count == fresh.count)
    }

    @Test func `a recorder writes a trace that is JSON`() async throws {
        bench.server.route("/404", .status(404))
        let good = bench.serveJPEG("/a.jpg")
        let recorder = LoadRecorder(bench.manager)
        _ = try await bench.manager.retrieveImage(
            with: bench.server.url("/404"),
            options: [.alternativeSources([.network(good)])]
        )
        recorder.stop()
        let object = try JSONSerialization.jsonObject(with: recorder.chromeTrace())
        let events = try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
        let phases = events.compactMap { $0["ph"] as? String }
        #expect(phases.filter { $0 == "B" }.count == phases.filter { $0 == "E" }.count)
        #expect(events.contains { $0["name"] as? String == "again" })
    }

    @Test func `MGR-42 MGR-43: the handle of each further attempt is announced once`() async {
        bench.server.route("/404", .status(404))
        let gate = ServerGate()
        bench.server.route("/slow", .held(gate, then: .status(200)))
        let slow = bench.server.url("/slow")
        let announced = Locked<[DownloadTask?]>([])
        let outcome: Result<RetrieveImageResult, KingfisherError> =
            await withCheckedContinuation { continuation in
                bench.manager.retrieveImage(
                    with: bench.server.url("/404"),
                    options: [.alternativeSources([.network(slow)])],
                    downloadTaskUpdated: { task in
                        announced.change { $0.append(task) }
                        task?.cancel()
                    },
                    completionHandler: { continuation.resume(returning: $0) }
                )
            }
        gate.open()
        #expect(announced.value.count == 1)
        guard case .failure(let error) = outcome else {
            Issue.record("a cancelled load succeeded")
            return
        }
        #expect(error.isTaskCancelled)
    }

    @Test func `MGR-42: an attempt that a cache serves is announced without a handle`()
        async throws
    {
        bench.server.route("/404", .status(404))
        let good = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: good)
        let announced = Locked<[Bool]>([])
        let outcome: Result<RetrieveImageResult, KingfisherError> =
            await withCheckedContinuation { continuation in
                bench.manager.retrieveImage(
                    with: bench.server.url("/404"),
                    options: [.alternativeSources([.network(good)])],
                    downloadTaskUpdated: { task in announced.change { $0.append(task != nil) } },
                    completionHandler: { continuation.resume(returning: $0) }
                )
            }
        #expect(try outcome.get().cacheType == .memory)
        #expect(announced.value == [false])
    }

    @Test func `a download's bytes are let go when every caller has them`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let handle = Locked<DownloadTask?>(nil)
        let _: Bool = await withCheckedContinuation { continuation in
            let task = bench.manager.retrieveImage(with: url) { _ in
                continuation.resume(returning: true)
            }
            handle.change { $0 = task }
        }
        let task = try #require(handle.value?.sessionTask)
        #expect(task.mutableData.isEmpty)
        #expect(task.metrics?.httpStatusCode == 200)
    }
}
