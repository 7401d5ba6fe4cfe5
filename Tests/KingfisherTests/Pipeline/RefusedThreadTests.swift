import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Whole loads in a process that is refused one thread, whoever asks for it: the library, libcurl,
/// libdispatch or Swift's concurrency.
///
/// They run where Scripts/faults.sh has loaded its library.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: RefusedThreads.shared != nil && WorkerBench.isPossible)
)
struct RefusedThreadTests {
    /// More than a load asks for; see the test below.
    private static let mostThreads = 20

    let server: ImageServer

    init() throws {
        server = try ImageServer()
        let image = TestImage.jpeg(width: 40, height: 30)
        for path in ["/0", "/1", "/2"] { server.route(path, .body(image, type: "image/jpeg")) }
    }

    @Test func `a load asks for fewer threads than are refused below`() async {
        let url = server.url("/")
        await #expect(processExitsWith: .success) { [url = url as URL] in
            let count = try await RefusedThreads.loads(from: url, without: 0)
            // At least the transport's and a lane's.
            guard (2...RefusedThreadTests.mostThreads).contains(count) else {
                fatalError("\(count) threads")
            }
        }
    }

    @Test(arguments: 1...RefusedThreadTests.mostThreads)
    func `without any one thread a load ends, and a later one succeeds`(number: Int) async {
        let url = server.url("/")
        await #expect(processExitsWith: .success) { [url = url as URL, number] in
            _ = try await RefusedThreads.loads(from: url, without: number)
        }
    }
}

/// The library of Scripts/faults.sh, in this process.
struct RefusedThreads: Sendable {
    let refuse: @convention(c) (Int) -> Void
    /// Returns how many threads were asked for since then.
    let count: @convention(c) () -> Int

    static let shared: RefusedThreads? = {
        guard let refuse = dlsym(nil, "kf_faults_refuse_thread"),
            let count = dlsym(nil, "kf_faults_threads")
        else { return nil }
        return RefusedThreads(
            refuse: unsafeBitCast(refuse, to: (@convention(c) (Int) -> Void).self),
            count: unsafeBitCast(count, to: (@convention(c) () -> Int).self)
        )
    }()

    /// Loads one image after the other, isolated, and ends the process if the last one fails or
    /// anything takes too long.
    ///
    /// libdispatch tries again after a second if it is refused a thread.
    ///
    /// - Returns: How many threads were asked for.
    static func loads(from url: URL, without number: Int) async throws -> Int {
        guard let shared else { fatalError("the faults are not there") }
        Thread.detachNewThread {
            sleep(30)
            fatalError("the load does not end without thread \(number)")
        }
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        let folder = try TemporaryDirectory()
        let cache = try ImageCache(name: "refused", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "refused"), cache: cache)
        shared.refuse(number)
        var failures: [String] = []
        for name in ["0", "1", "2"] {
            do {
                let image = try await manager.retrieveImage(
                    with: url.appending(path: name),
                    options: [
                        .isolated, .processor(BlurImageProcessor(blurRadius: 2)), .waitForCache,
                    ]
                ).image
                guard image.pixelWidth == 40 else { fatalError("the image is wrong") }
            } catch let error as KingfisherError {
                failures.append(error.errorDescription ?? "")
            }
        }
        // One thread was refused, so one load may fail.
        guard failures.count <= 1, !failures.contains("") else { fatalError("\(failures)") }
        return shared.count()
    }
}
