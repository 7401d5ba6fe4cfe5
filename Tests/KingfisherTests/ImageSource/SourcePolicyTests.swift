import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// With a restrictive policy, a URL from an untrusted source reads no file.
@Suite(.timeLimit(.minutes(1)))
struct SourcePolicyTests {
    private let bench: TestBench
    private let image: URL
    private let secret: URL
    private let missing: URL

    init() throws {
        bench = try TestBench()
        image = bench.folder.file("image.jpg")
        secret = bench.folder.file("secret.txt")
        missing = bench.folder.file("missing.jpg")
        try TestImage.jpeg().write(to: image)
        try Data("a secret".utf8).write(to: secret)
    }

    @Test func `with a public-only address policy no file is read`() async throws {
        bench.downloader.transferSettings.addressPolicy = .publicOnly
        var texts: Set<String> = []
        for url in [image, secret, missing] {
            let error = await failure(of: url.convertToSource(), [])
            #expect(refusal(error) == SourcePolicy.Refusal(kind: .files))
            let text = error?.localizedDescription ?? ""
            texts.insert(text.replacingOccurrences(of: url.cacheKey, with: "KEY"))
        }
        #expect(texts.count == 1)
        let result = try await bench.manager.retrieveImage(
            with: image,
            options: [.allowedSources(.all)]
        )
        #expect(result.image.pixelWidth == 64)
    }

    @Test func `a file that is cached is refused as well`() async throws {
        _ = try await bench.manager.retrieveImage(with: image)
        let source = image.convertToSource()
        let options: KingfisherOptionsInfo = [.allowedSources(.remote)]
        let error = await failure(of: source, options)
        #expect(refusal(error) == SourcePolicy.Refusal(kind: .files))
        _ = try await bench.manager.retrieveData(with: source, as: .png)
        for encoding in [nil, ImageEncoding.png] {
            let error = await #expect(throws: KingfisherError.self) {
                try await bench.manager.retrieveData(with: source, options: options, as: encoding)
            }
            #expect(refusal(error) == SourcePolicy.Refusal(kind: .files))
        }
        let prefetcher = ImagePrefetcher(
            sources: [source],
            options: options,
            manager: bench.manager
        )
        #expect(await prefetcher.prefetch().failed == [source])
    }

    @Test func `an alternative source is held to the policy`() async throws {
        let error = await failure(
            of: .network(try #require(URL(string: "http://127.0.0.1:1/a"))),
            [.allowedSources(.remote), .alternativeSources([image.convertToSource()])]
        )
        guard case .imageSettingError(reason: .alternativeSourcesExhausted(let errors)) = error
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal(errors.last?.error) == SourcePolicy.Refusal(kind: .files))
    }

    @Test func `each kind can be refused`() async throws {
        let data = TestImage.png()
        let dataURL = try #require(
            URL(string: "data:image/png;base64,\(data.base64EncodedString())")
        )
        let sources: [(SourcePolicy, Source)] = [
            (.files, .provider(ThumbnailImageDataProvider(url: image, maxPixelSize: 10))),
            (.dataURLs, dataURL.convertToSource()),
            (.providers, .provider(RawImageDataProvider(data: data, cacheKey: "raw"))),
            (.network, bench.serveJPEG("/a.jpg").convertToSource()),
        ]
        for (kind, source) in sources {
            _ = try await bench.manager.retrieveImage(
                with: source,
                options: [.allowedSources(kind)]
            )
            let others = SourcePolicy.all.subtracting(kind)
            let error = await failure(of: source, [.allowedSources(others)])
            #expect(refusal(error) == SourcePolicy.Refusal(kind: kind))
        }
    }

    private func failure(
        of source: Source,
        _ options: KingfisherOptionsInfo
    ) async -> KingfisherError? {
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: source, options: options)
        }
    }

    private func refusal(_ error: (any Error)?) -> SourcePolicy.Refusal? {
        switch error as? KingfisherError {
        case .imageSettingError(reason: .dataProviderError(_, let error)),
            .responseError(reason: .URLSessionError(let error)):
            error as? SourcePolicy.Refusal
        default: nil
        }
    }
}
