import Foundation
import KFCodecs
import TestSupport
import Testing

@testable import Kingfisher

/// The steps of a lone load with default options; each case in a process of its own, because other
/// tests count steps too.
@Suite(.timeLimit(.minutes(1)))
struct StepCountTests {
    @Test func `a memory hit makes one request and nothing else`() async {
        await #expect(processExitsWith: .success) {
            let load = try await CountedLoad()
            _ = try await load.image()
            await load.bench.cache.flush()
            let steps = try await Steps.of { try await load.image() }
            #expect(
                steps
                    <= Steps(
                        digests: 0,
                        parses: 0,
                        jobs: 0,
                        submissions: 0,
                        resumptions: 0,
                        probes: 0,
                        requests: 1
                    ),
                "\(steps)"
            )
        }
    }

    @Test func `a disk hit reads, decodes and draws in one task`() async {
        await #expect(processExitsWith: .success) {
            let load = try await CountedLoad()
            _ = try await load.image()
            load.bench.cache.clearMemoryCache()
            await load.bench.cache.flush()
            let steps = try await Steps.of { try await load.image() }
            #expect(
                steps
                    <= Steps(
                        digests: 1,
                        parses: 1,
                        jobs: 1,
                        submissions: 1,
                        resumptions: 1,
                        probes: 1,
                        requests: 1
                    ),
                "\(steps)"
            )
        }
    }

    @Test func `a download with a processor makes its image in one task`() async {
        await #expect(processExitsWith: .success) {
            let load = try await CountedLoad()
            await load.bench.cache.flush()
            let steps = try await Steps.of { try await load.image([.processor(CountedLoad.small)]) }
            #expect(
                steps
                    <= Steps(
                        digests: 2,
                        parses: 1,
                        jobs: 1,
                        submissions: 2,
                        resumptions: 1,
                        // The third asks whether another load has stored the image meanwhile.
                        probes: 3,
                        requests: 1
                    ),
                "\(steps)"
            )
        }
    }
}

/// A cache and a server with one JPEG.
private struct CountedLoad: Sendable {
    static let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))

    let bench: TestBench
    private let url: URL

    init() async throws {
        bench = try TestBench()
        url = bench.serveJPEG("/a.jpg")
        // The folder is opened once in a process, and the first store begins its log.
        try await bench.cache.storeToDisk(Data([1]), forKey: "another")
    }

    func image(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveImageResult {
        try await bench.manager.retrieveImage(with: url, options: options + [.waitForCache])
    }
}

/// Numbers of steps.
private struct Steps: CustomStringConvertible {
    var digests = Counters.digests.count
    var parses = HeaderParses.count
    var jobs = Counters.jobs.count
    var submissions = Counters.submissions.count
    var resumptions = Counters.resumptions.count
    var probes = Counters.probes.count
    var requests = Counters.requests.count

    private var all: [Int] {
        [digests, parses, jobs, submissions, resumptions, probes, requests]
    }

    /// The steps of a piece of work.
    static func of(_ work: () async throws -> some Sendable) async throws -> Steps {
        let before = Steps()
        _ = try await work()
        let after = Steps()
        return Steps(
            digests: after.digests - before.digests,
            parses: after.parses - before.parses,
            jobs: after.jobs - before.jobs,
            submissions: after.submissions - before.submissions,
            resumptions: after.resumptions - before.resumptions,
            probes: after.probes - before.probes,
            requests: after.requests - before.requests
        )
    }

    static func <= (one: Steps, other: Steps) -> Bool {
        zip(one.all, other.all).allSatisfy { $0 <= $1 }
    }

    var description: String {
        """
        digests \(digests), parses \(parses), jobs \(jobs), submissions \(submissions), \
        resumptions \(resumptions), probes \(probes), requests \(requests)
        """
    }
}
