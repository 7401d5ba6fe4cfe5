import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Isolated loads, from the option to the image.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct IsolatedLoadTests {
    init() { ProcessIsolation.useProgram(at: WorkerBench.program.path) }

    private static let shrinks = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))

    @Test func `an image comes from a worker, then from memory, then from the disk`() async throws {
        let bench = try TestBench()
        let url = bench.serveJPEG("/photo.jpg", width: 64, height: 48)
        bench.manager.defaultOptions = [.isolated, .processor(Self.shrinks), .waitForCache]
        let first = try await bench.manager.retrieveImage(with: url)
        #expect(first.cacheType == .none)
        #expect(first.image.pixelWidth == 16)
        #expect(try await bench.manager.retrieveImage(with: url).cacheType == .memory)
        bench.cache.clearMemoryCache()
        let third = try await bench.manager.retrieveImage(with: url)
        #expect(third.cacheType == .disk)
        #expect(third.image.pixelWidth == 16)
    }

    @Test func `callers of one URL and one processor share a decode`() async throws {
        let bench = try TestBench()
        let url = bench.serveJPEG("/photo.jpg")
        let options: KingfisherOptionsInfo = [.isolated, .processor(Self.shrinks)]
        let images = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await bench.manager.retrieveImage(with: url, options: options).image
                }
            }
            return try await group.reduce(into: Set<KFCrossPlatformImage>()) { $0.insert($1) }
        }
        #expect(images.count == 1)
    }

    @Test func `a file that ends its worker fails with an error that names it`() async throws {
        let bench = try TestBench()
        bench.server.route("/bad", .body(WorkerBench.file("trap", "load"), type: "image/jpeg"))
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/bad"),
                options: [.isolated]
            )
        }
        #expect(error?.errorCode == 4003)
        #expect(error?.errorDescription?.contains("stopped on an error of its own (signal") == true)
        #expect(!bench.cache.isCached(forKey: bench.server.url("/bad").absoluteString))
    }

    @Test func `a damaged file has its reason`() async throws {
        let bench = try TestBench()
        let file = TestImage.jpeg().prefix(300)
        bench.server.route("/cut", .body(Data(file), type: "image/jpeg"))
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/cut"),
                options: [.isolated]
            )
        }
        #expect(error?.errorCode == 4001)
        #expect(error?.errorDescription?.contains("the data ends") == true)
    }

    @Test func `an explanation says where each step runs`() throws {
        let bench = try TestBench()
        let url = bench.server.url("/photo.jpg")
        let chain = Self.shrinks |> Own() |> BlurImageProcessor(blurRadius: 2)
        let steps = bench.manager.explain(url, options: [.isolated, .processor(chain)]).steps
        #expect(steps.map(\.place) == [.workerProcess, .thisProcess, .thisProcess])
        #expect(steps.map(\.processor)[1] == "own")
        let isolated = bench.manager.explain(url, options: [.isolated, .processor(chain)])
        #expect(isolated.description.contains("here      encoding for the cache"))
        let plain = bench.manager.explain(url, options: [.processor(chain)])
        #expect(plain.steps.allSatisfy { $0.place == .thisProcess })
        #expect(!plain.description.contains("apart"))
    }

    @Test(
        arguments: [
            DefaultImageProcessor.default, Self.shrinks,
            ResizingImageProcessor(referenceSize: CGSize(width: 16, height: 16)),
            SmartCroppingImageProcessor(size: CGSize(width: 16, height: 16)),
            BlurImageProcessor(blurRadius: 1),
            ViewSizeProcessor(size: CGSize(width: 16, height: 16), covers: true),
            AnimatedImageProcessor(Self.shrinks), AnimatedImageProcessor(Own()),
        ] as [any ImageProcessor]
    )
    func `what a processor of a user's has decoded by ours is decoded apart`(
        _ inner: any ImageProcessor
    ) async throws {
        let bench = try TestBench()
        // This process would refuse the file; a worker is ended by it.
        bench.server.route(
            "/bad",
            .body(WorkerBench.file("trap", inner.identifier), type: "image/jpeg")
        )
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/bad"),
                options: [.isolated, .processor(Own(inner: inner))]
            )
        }
        guard case .processorError(reason: .processingFailed(_, .data(let file))) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let reason = IsolatedDecoding.undecodableReason(of: file) ?? ""
        #expect(reason.contains("signal"), "\(reason)")
    }

    @Test func `DOC-11: a program without the line in main gets an error`() async {
        await #expect(processExitsWith: .success) {
            let drawing = Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8
            )
            let cases: [(Data, KingfisherOptionsInfo)] = [
                (TestImage.png(), [.isolated]), (drawing, [.isolated]), (drawing, []),
            ]
            let bench = try TestBench()
            for (index, (file, options)) in cases.enumerated() {
                let provider = RawImageDataProvider(data: file, cacheKey: "\(index)")
                do {
                    _ = try await bench.manager.retrieveImage(
                        with: .provider(provider),
                        options: options
                    )
                    fatalError("it was decoded")
                } catch {
                    let text = (error as? KingfisherError)?.errorDescription ?? "\(error)"
                    guard text.contains("ProcessIsolation.runWorkerIfAsked()") else {
                        fatalError(text)
                    }
                }
            }
            let error = #expect(throws: ImageFileInfo.Failure.self) {
                try ImageFileInfo(data: drawing)
            }
            guard "\(String(describing: error))".contains("ProcessIsolation.runWorkerIfAsked()"),
                KFCrossPlatformImage(data: drawing) == nil
            else { fatalError("\(String(describing: error))") }
        }
    }

    private struct Own: ImageProcessor {
        var inner: any ImageProcessor = DefaultImageProcessor.default
        var identifier: String { "own" }

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            inner.process(item: item, options: options)
        }
    }
}
