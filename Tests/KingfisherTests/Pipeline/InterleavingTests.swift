import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Small scenarios whose events come in an order that a seed decides.
///
/// The threads are real, so a seed gives the same events and not the same instructions; what holds
/// must hold all the same. `KF_INTERLEAVINGS=10000` runs as many, `KF_SEED=n` one alone.
struct InterleavingTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var seeds: [UInt64] {
        if let seed = environment["KF_SEED"].flatMap(UInt64.init) { return [seed] }
        let count = environment["KF_INTERLEAVINGS"].flatMap(UInt64.init) ?? 500
        return Array(1...max(1, count))
    }

    @Test(.timeLimit(.minutes(5)))
    func `loads, joins, cancels, evictions and failures in any order keep every promise`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let cache = try ImageCache(name: "interleaving", cacheDirectoryURL: folder.url)
        for seed in Self.seeds {
            let scenario = Interleaving(seed: seed, cache: cache)
            let complaints = await scenario.run()
            #expect(complaints.isEmpty, "KF_SEED=\(seed): \(complaints.joined(separator: "; "))")
            if !complaints.isEmpty { return }
        }
    }
}
