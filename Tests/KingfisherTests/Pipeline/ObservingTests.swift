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

    @Test func `explain says why each layer would miss or hit`() async throws {
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
        // Refused whatever the caches have, as by the load itself.
        let refused = bench.manager.explain(url, options: [.allowedSources([])])
        #expect(refused.outcome == .fails)
        #expect(refused.description.contains("its source is refused"))

        let blur = BlurImageProcessor(blurRadius: 2)
        let blurred = bench.manager.explain(url, options: [.processor(blur)])
        #expect(blurred.disk == .otherProcessor([""]))
        #expect(blurred.outcome == .original)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `explain names expired images`() async throws {
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

    @Test(arguments: [StorageExpiration.expired, .seconds(.nan), .seconds(-.infinity)])
    func `explain and observers bear images that expire by being read`(
        expiration: StorageExpiration
    ) async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        let observation = bench.manager.observeLoads { _ in }
        let extended: KingfisherOptionsInfo = [
            .memoryCacheAccessExtendingExpiration(.expirationTime(expiration)),
            .diskCacheAccessExtendingExpiration(.expirationTime(expiration)),
        ]
        _ = try await bench.manager.retrieveImage(with: url, options: extended)
        guard case .expired? = bench.manager.explain(url).memory else {
            Issue.record("\(bench.manager.explain(url))")
            return
        }
        _ = try await bench.manager.retrieveImage(with: url, options: extended)
        bench.cache.clearMemoryCache()
        guard case .expired? = bench.manager.explain(url).disk else {
            Issue.record("\(bench.manager.explain(url))")
            return
        }
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(bench.server.requests.count == 2)
        observation.cancel()
    }

    @Test func `explain does not say that a removed image was never stored`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        try await bench.cache.removeImage(forKey: url.cacheKey)
        let explanation = bench.manager.explain(url)
        #expect(explanation.memory == .neverStored)
        #expect(explanation.disk == .neverStored)
        #expect(explanation.description.contains("memory    miss, not stored"))
        #expect(explanation.description.contains("disk      miss, not stored"))
    }

    @Test func `events report a load from start to end`() async throws {
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

    @Test func `observers learn once what a load of any kind misses`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, source) = (bench.manager, Source.network(url))
        let loads: [@Sendable () async throws -> Void] = [
            { _ = try await manager.retrieveImage(with: source) },
            { _ = try await manager.retrieveImage(with: source, options: [.httpCaching]) },
            { _ = try await manager.retrieveImage(with: source, options: [.onlyFromCache]) },
            { _ = try await manager.retrieveData(with: source) },
            { _ = try await manager.retrieveData(with: source, as: .png) },
            { _ = try await manager.retrieveOriginalData(with: source) },
            { _ = await PrefetchLoader(manager: manager, options: nil).load(source) },
        ]
        for (place, load) in loads.enumerated() {
            await bench.cache.clearCache()
            let misses = Locked<[CacheType]>([])
            let observation = manager.observeLoads { event in
                guard case .miss(let layer, _) = event.kind else { return }
                misses.change { $0.append(layer) }
            }
            // One of them has to fail.
            try? await load()
            #expect(misses.value == [.memory, .disk], "\(place)")
            withExtendedLifetime(observation) {}
        }
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
        #expect(events.contains { $0["name"] as? String == "next attempt" })
    }

    @Test func `a trace names its rows, and keeps passwords and queries to itself`() async throws {
        let source = RawImageDataProvider(
            data: TestImage.png(),
            cacheKey: "https://anna:secret@host.test/pictures/a.png?sig=secret"
        ).convertToSource()
        let blur = BlurImageProcessor(blurRadius: 2)
        let recorder = LoadRecorder(bench.manager)
        _ = try await bench.manager.retrieveImage(with: source, options: [.processor(blur)])
        _ = try await bench.manager.retrieveImage(with: source, options: [.processor(blur)])
        let data = try recorder.chromeTrace()
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(text.contains("https://host.test/pictures/a.png"))
        let object = try JSONSerialization.jsonObject(with: data)
        let events = try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
        let rows = events.filter { $0["ph"] as? String == "M" }
        #expect(rows.count == 2)
        for row in rows {
            #expect(
                (row["args"] as? [String: String])?["name"] == "a.png?… (BlurImageProcessor(2.0))"
            )
        }
        // Instants belong to their row; without a scope viewers draw them elsewhere or not at all.
        for event in events where event["ph"] as? String == "i" {
            #expect(event["s"] as? String == "t")
        }
        let results = events.compactMap { ($0["args"] as? [String: String])?["result"] }
        #expect(results == ["loaded", "from memory"])
    }

    @Test func `an explanation reads as text, without passwords`() async throws {
        let url = try #require(URL(string: "https://anna:secret@host.test/a.jpg"))
        #expect(
            bench.manager.explain(url).description == """
                https://host.test/a.jpg (no processor)
                  memory    miss, not stored
                  disk      miss, not stored
                  so it     is downloaded
                """
        )
        let fresh = bench.manager.explain(url, options: [.forceRefresh])
        #expect(fresh.description.contains("memory    not consulted, because of the options"))
        try await bench.cache.storeToDisk(TestImage.jpeg(), forKey: url.cacheKey)
        let blur = BlurImageProcessor(blurRadius: 2)
        #expect(
            bench.manager.explain(url, options: [.processor(blur)]).description == """
                https://host.test/a.jpg (com.onevcat.Kingfisher.BlurImageProcessor(2.0))
                  memory    miss, not stored
                  disk      miss, only stored unprocessed
                  original  hit
                  so it     is made from the cached original
                """
        )
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
        // The last caller may look before the thread that told him has gone on.
        while !task.mutableData.isEmpty { await Task.yield() }
        #expect(task.metrics?.httpStatusCode == 200)
    }
}
