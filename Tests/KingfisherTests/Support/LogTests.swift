import Foundation
import Logging
import TestSupport
import Testing

@testable import Kingfisher

/// The messages that reach the logging system.
@Suite(.timeLimit(.minutes(1)))
struct LogTests {
    /// Records the messages of all loggers of the process.
    private struct Keeping: LogHandler {
        static let lines = Locked<[(level: Logger.Level, key: String, text: String)]>([])
        // The logging system can be set up only once in a process.
        static let isInstalled: Void = LoggingSystem.bootstrap { _ in Keeping() }

        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let key = event.metadata?["key"].map { "\($0)" } ?? ""
            Self.lines.change { $0.append((event.level, key, "\(event.message)")) }
        }
    }

    /// A serializer that stores nothing.
    private struct Refusing: CacheSerializer {
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
        func image(
            with data: Data,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? { nil }
    }

    let bench: TestBench

    init() throws {
        bench = try TestBench()
        Keeping.isInstalled
    }

    private func lines(of key: String) -> [(level: Logger.Level, key: String, text: String)] {
        Keeping.lines.value.filter { $0.key == key }
    }

    @Test func `MGR-32 W-45: a store that fails is logged, and the load succeeds`() async throws {
        let source = RawImageDataProvider(
            data: TestImage.png(),
            cacheKey: "https://anna:secret@host.test/log-1.png"
        ).convertToSource()
        _ = try await bench.manager.retrieveImage(
            with: source,
            options: [
                .cacheSerializer(Refusing()), .processor(BlurImageProcessor(blurRadius: 1)),
                .waitForCache,
            ]
        )
        let lines = lines(of: "https://host.test/log-1.png")
        #expect(lines.map(\.level) == [.warning])
        #expect(lines.first?.text.hasPrefix("The image was not stored on disk: Refusing") == true)
    }

    @Test func `SER-3 W-45: a processed GIF that cannot be stored is logged, once`() async throws {
        let source = RawImageDataProvider(data: TestImage.gif, cacheKey: "log-4").convertToSource()
        let options: KingfisherOptionsInfo = [.processor(BlackWhiteProcessor()), .waitForCache]
        for type in [CacheType.none, .memory] {
            let result = try await bench.manager.retrieveImage(with: source, options: options)
            #expect(result.cacheType == type)
        }
        let lines = lines(of: "log-4")
        #expect(lines.map(\.level) == [.warning])
        let text = "The image was not stored on disk: DefaultCacheSerializer returned no bytes"
        #expect(lines.first?.text.hasPrefix(text) == true)
    }

    @Test func `a failed load is logged for debugging, a cancelled one is not`() async {
        let broken = RawImageDataProvider(data: Data("no picture".utf8), cacheKey: "log-2")
        _ = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: .provider(broken))
        }
        #expect(lines(of: "log-2").map(\.level) == [.debug])
        let gate = ServerGate()
        bench.server.route("/slow", .held(gate, then: .status(200)))
        let (url, manager) = (bench.server.url("/slow"), bench.manager)
        let load = Task { try await manager.retrieveImage(with: url) }
        await gate.reached()
        load.cancel()
        _ = await load.result
        #expect(lines(of: url.cacheKey).isEmpty)
    }

    @Test func `a damaged file is logged`() async throws {
        try await bench.cache.storeToDisk(Data("no picture".utf8), forKey: "log-3")
        _ = try await bench.cache.retrieveImage(forKey: "log-3")
        #expect(lines(of: "log-3").map(\.level) == [.warning])
    }
}
