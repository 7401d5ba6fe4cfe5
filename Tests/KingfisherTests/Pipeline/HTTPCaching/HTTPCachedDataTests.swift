import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Encoded files under the rules of HTTP caching.
@Suite(.timeLimit(.minutes(1)))
struct HTTPCachedDataTests {
    private let bench: TestBench
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 200, height: 150)

    init() throws {
        bench = try TestBench()
        url = bench.server.url("/a.jpg")
    }

    /// The ways in which the file differs from the download.
    enum Form: CaseIterable {
        case plain, processed, serialized, encoded

        var options: KingfisherOptionsInfo {
            switch self {
            case .plain: []
            case .processed, .encoded:
                [.processor(DownsamplingImageProcessor(size: CGSize(width: 100, height: 100)))]
            case .serialized: [.cacheSerializer(FormatIndicatedCacheSerializer.png)]
            }
        }

        var encoding: ImageEncoding? { self == .encoded ? .webp() : nil }
    }

    private func serve(_ control: String) {
        bench.server.route(
            "/a.jpg",
            .body(jpeg, type: "image/jpeg", fields: [("Cache-Control", control)])
        )
    }

    private func data(_ form: Form, _ more: KingfisherOptionsInfo = []) async throws -> Data {
        try await bench.manager.retrieveData(
            with: url,
            options: form.options + [.httpCaching, .waitForCache] + more,
            as: form.encoding
        ).data
    }

    @Test(arguments: Form.allCases)
    func `what must not be stored is not on disk`(form: Form) async throws {
        serve("no-store")
        for _ in 0..<2 { _ = try await data(form) }
        #expect(bench.cache.diskStorage.entries.isEmpty)
        #expect(bench.server.requests.count == 2)
        serve("max-age=6000")
        let silent = AnyModifier { request in
            var request = request
            request.setValue("no-store", forHTTPHeaderField: "Cache-Control")
            return request
        }
        _ = try await data(form, [.requestModifier(silent)])
        #expect(bench.cache.diskStorage.entries.isEmpty)
    }

    @Test(arguments: Form.allCases)
    func `a fresh file comes from the disk`(form: Form) async throws {
        serve("max-age=6000")
        let first = try await data(form)
        for _ in 0..<2 {
            bench.cache.clearMemoryCache()
            let next = try await bench.manager.retrieveData(
                with: url,
                options: form.options + [.httpCaching],
                as: form.encoding
            )
            #expect(next.cacheType == .disk)
            // An encoding is applied to what the cache has, which is a JPEG of its own.
            let isSame = next.data == first
            #expect(isSame || form == .encoded)
        }
        #expect(bench.server.requests.count == 1)
        #expect(bench.cache.diskStorage.entries.count == 1)
    }

    @Test(arguments: Form.allCases)
    func `a variant is not given to another request`(form: Form) async throws {
        let other = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg") { [jpeg] request in
            let fields = [("Cache-Control", "max-age=6000"), ("Vary", "X-Theme")]
            let isDark = request.value(for: "X-Theme") == "dark"
            return .body(isDark ? other : jpeg, type: "image/jpeg", fields: fields)
        }
        let dark = AnyModifier { request in
            var request = request
            request.setValue("dark", forHTTPHeaderField: "X-Theme")
            return request
        }
        let light = try ImageFileInfo(data: await data(form)).size
        for _ in 0..<3 {
            let size = try ImageFileInfo(data: await data(form, [.requestModifier(dark)])).size
            #expect(size == CGSize(width: 20, height: 10))
            #expect(try ImageFileInfo(data: await data(form)).size == light)
        }
        #expect(bench.server.requests.count == 2)
    }
}
