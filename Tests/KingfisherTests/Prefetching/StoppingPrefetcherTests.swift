import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Pausing and stopping, and the state afterwards.
@Suite(.timeLimit(.minutes(1)))
struct StoppingPrefetcherTests: PrefetchBench {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    @Test func `PRE-9: stop fails running items and those that never began`() async throws {
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .body(TestImage.jpeg())) }
        let sources: [Source] = (0..<6).map { .network(bench.server.url("/\($0)")) }
        let (prefetcher, run) = prefetcher(sources, width: 2)
        prefetcher.start()
        await bench.server.received(2)
        prefetcher.stop()
        let lists = try await run.lists()
        #expect(Set(lists.failed) == Set(sources))
        #expect(bench.server.requests.count == 2)
        prefetcher.stop()
        gate.open()
    }

    @Test func `PRE-9: a finished prefetcher ignores stop and start`() async throws {
        let (prefetcher, run) = prefetcher(pictures(2))
        prefetcher.start()
        _ = try await run.lists()
        prefetcher.stop()
        prefetcher.start()
        #expect(run.ends.value.count == 1)
    }

    @Test func `PRE-12: stop ends a chain of skips too`() async throws {
        let sources = pictures(40)
        for source in sources.prefix(20) {
            _ = try await bench.manager.retrieveImage(with: source)
        }
        let served = bench.server.requests.count
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        await run.reported.wait()
        prefetcher.stop()
        let lists = try await run.lists()
        let count = lists.skipped.count + lists.failed.count + lists.completed.count
        #expect(count == 40)
        #expect(bench.server.requests.count <= served + lists.completed.count + 1)
    }

    @Test func `PRE-10: a success counts also after stop`() async throws {
        // The modifier runs after the image was stored, when nothing can be cancelled any more.
        let held = Locked<ImagePrefetcher?>(nil)
        let stopping = AnyImageModifier { image in
            held.value?.stop()
            return image
        }
        let sources = pictures(3)
        let (prefetcher, run) = prefetcher(sources, options: [.imageModifier(stopping)], width: 1)
        held.change { $0 = prefetcher }
        prefetcher.start()
        let lists = try await run.lists()
        #expect(lists.completed == [sources[0]])
        #expect(lists.failed == [sources[1], sources[2]])
        held.change { $0 = nil }
    }

    @Test func `PRE-16: stop ends duplicates too`() async throws {
        let gate = ServerGate()
        bench.server.route("/a", .held(gate, then: .body(TestImage.jpeg())))
        let source = Source.network(bench.server.url("/a"))
        let (prefetcher, run) = prefetcher([source, source, source])
        prefetcher.start()
        await gate.reached()
        prefetcher.stop()
        #expect(try await run.lists().failed == [source, source, source])
    }

    @Test func `PRE-17 PRE-18: it keeps itself alive, and its closures are freed`() async throws {
        final class Token: Sendable {}
        let ended = Gate()
        weak var token: Token?
        weak var gone: ImagePrefetcher?
        do {
            let kept = Token()
            token = kept
            let prefetcher = ImagePrefetcher(
                sources: pictures(3),
                options: [],
                manager: bench.manager,
                progress: nil,
                completion: { _, _, _ in
                    withExtendedLifetime(kept) { ended.open() }
                }
            )
            gone = prefetcher
            prefetcher.start()
        }
        await ended.wait()
        while gone != nil || token != nil { await Task.yield() }
    }

    @Test func `pausing begins nothing more until resumed`() async throws {
        let gate = ServerGate()
        bench.server.route("/0", .held(gate, then: .body(TestImage.jpeg())))
        let first = Source.network(bench.server.url("/0"))
        let sources: [Source] = [first] + (1..<4).map { .network(bench.serveJPEG("/\($0).jpg")) }
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        await gate.reached()
        prefetcher.pause()
        gate.open()
        await run.reported.wait()
        #expect(bench.server.requests.count == 1)
        #expect(run.ends.value.isEmpty)
        prefetcher.resume()
        #expect(try await run.lists().completed == sources)
    }

    @Test func `a paused prefetcher can be stopped`() async throws {
        let sources = pictures(3)
        let (prefetcher, run) = prefetcher(sources)
        prefetcher.pause()
        prefetcher.start()
        prefetcher.stop()
        #expect(try await run.lists().failed.count == 3)
        #expect(bench.server.requests.isEmpty)
    }

    #if DEBUG
    @Test func `PRE-11: start after stop traps`() async {
        await #expect(processExitsWith: .failure) {
            let bench = try TestBench()
            let prefetcher = ImagePrefetcher(
                sources: [],
                options: nil,
                manager: bench.manager,
                progress: nil,
                completion: nil
            )
            prefetcher.stop()
            prefetcher.start()
        }
    }
    #endif

    @Test func `an owner that stops the prefetcher may be released by its end`() async {
        final class Owner: Sendable {
            let prefetcher = Locked<ImagePrefetcher?>(nil)
            let released: Gate

            init(_ released: Gate) { self.released = released }

            deinit {
                prefetcher.value?.stop()
                released.open()
            }
        }
        let released = Gate()
        do {
            let owner = Owner(released)
            let prefetcher = ImagePrefetcher(
                sources: [],
                options: nil,
                manager: bench.manager,
                progress: { [owner] _, _, _ in withExtendedLifetime(owner) {} },
                completion: nil
            )
            owner.prefetcher.change { $0 = prefetcher }
            prefetcher.start()
        }
        await released.wait()
    }
}
