import Foundation
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What people read: for each case what happened, to what, and what to do about it.
struct KingfisherErrorTextTests {
    struct Refusal: Error, CustomStringConvertible {
        let description = "the door was shut"
    }

    struct Sample {
        let error: KingfisherError
        /// A URL, key, path or reason that the text must name; empty where there is none.
        let names: String
    }

    static let url = URL(string: "https://host.test/a.jpg")
    static let provider = RawImageDataProvider(data: Data(), cacheKey: "the-key")

    static func samples() throws -> [Sample] {
        try requests() + responses() + caches() + settings()
    }

    static func requests() throws -> [Sample] {
        let url = try #require(url)
        let request = URLRequest(url: url)
        let live = LivePhotoSource(urls: [url])
        let task = SessionDataTask(request: request)
        return [
            (.emptyRequest, ""),
            (.invalidURL(request: request), url.absoluteString),
            (.taskCancelled(task: task, token: 7), url.absoluteString),
            (.livePhotoTaskCancelled(source: live), url.absoluteString),
            (.asyncTaskContextCancelled, ""),
            (.dataProviderCancelled(provider: provider), "the-key"),
        ].map { (reason: KingfisherError.RequestErrorReason, names) in
            Sample(error: .requestError(reason: reason), names: names)
        }
    }

    static func responses() throws -> [Sample] {
        let url = try #require(url)
        let task = SessionDataTask(request: URLRequest(url: url))
        let http = try #require(
            HTTPURLResponse(url: url, statusCode: 418, httpVersion: nil, headerFields: nil)
        )
        let lost = TransferError.connectionLost(reason: "reset by peer", url: url)
        return [
            (.invalidURLResponse(response: http), url.absoluteString),
            (.invalidHTTPStatusCode(response: http), url.absoluteString),
            (.URLSessionError(error: lost), url.absoluteString),
            (.dataModifyingFailed(task: task), url.absoluteString),
            (.noURLResponse(task: task), url.absoluteString),
            (.cancelledByDelegate(response: http), url.absoluteString),
        ].map { (reason: KingfisherError.ResponseErrorReason, names) in
            Sample(error: .responseError(reason: reason), names: names)
        }
    }

    static func caches() throws -> [Sample] {
        let folder = URL(fileURLWithPath: "/folder")
        let part = LivePhotoResource(downloadURL: try #require(url))
        let why = Refusal()
        return [
            (.fileEnumeratorCreationFailed(url: folder), "/folder"),
            (.invalidFileEnumeratorContent(url: folder), "/folder"),
            (.invalidURLResource(error: why, key: "the-key", url: folder), "the-key"),
            (.cannotLoadDataFromDisk(url: folder, error: why), "/folder"),
            (.cannotCreateDirectory(path: "/folder", error: why), "/folder"),
            (.imageNotExisting(key: "the-key"), "the-key"),
            (.cannotConvertToData(object: 1, error: why), "the door was shut"),
            (
                .cannotSerializeImage(
                    image: nil,
                    original: nil,
                    serializer: DefaultCacheSerializer.default
                ), "DefaultCacheSerializer"
            ),
            (
                .cannotCreateCacheFile(fileURL: folder, key: "the-key", data: Data(), error: why),
                "the-key"
            ),
            (
                .cannotSetCacheFileAttribute(filePath: "/folder", attributes: [:], error: why),
                "/folder"
            ),
            (.diskStorageIsNotReady(cacheURL: folder), "/folder"),
            (.missingLivePhotoResourceOnDisk(part), "a.jpg"),
        ].map { (reason: KingfisherError.CacheErrorReason, names) in
            Sample(error: .cacheError(reason: reason), names: names)
        }
    }

    static func settings() throws -> [Sample] {
        let url = try #require(url)
        let live = LivePhotoSource(urls: [url])
        let source = Source.network(url)
        let failed = PropagationError(source: source, error: .requestError(reason: .emptyRequest))
        let processor = BlurImageProcessor(blurRadius: 4)
        let reasons: [(KingfisherError.ImageSettingErrorReason, String)] = [
            (.emptySource, ""),
            (.notCurrentSourceTask(result: nil, error: nil, source: source), url.absoluteString),
            (.dataProviderError(provider: provider, error: Refusal()), "the-key"),
            (.alternativeSourcesExhausted([failed]), url.absoluteString),
            (
                .notCurrentLivePhotoSourceTask(result: nil, error: nil, source: live),
                url.absoluteString
            ),
            (.livePhotoResultError(result: nil, error: nil, source: live), url.absoluteString),
        ]
        let processing = KingfisherError.processorError(
            reason: .processingFailed(processor: processor, item: .data(Data("none".utf8)))
        )
        return reasons.map { Sample(error: .imageSettingError(reason: $0.0), names: $0.1) }
            + [Sample(error: processing, names: processor.identifier)]
    }

    @Test func `every case is here`() throws {
        let codes = Set(try Self.samples().map(\.error.errorCode))
        let expected = [1001...1006, 2001...2006, 3001...3012, 4001...4001, 5001...5006]
        #expect(codes == Set(expected.joined()))
    }

    @Test func `every text says what happened to what`() throws {
        for sample in try Self.samples() {
            let text = sample.error.localizedDescription
            #expect(sample.names.isEmpty || text.contains(sample.names), "\(text)")
            #expect(!text.contains("Optional("), "\(text)")
            #expect(!text.contains("..") && !text.contains("  "), "\(text)")
        }
    }

    @Test func `every text goes on to say what to do`() throws {
        let verbs = [
            "Return ", "Give ", "Load ", "Check ", "Try ", "Let ", "Remove ", "Leave ", "Use ",
            "Nothing is wrong",
        ]
        for sample in try Self.samples() {
            let text = sample.error.localizedDescription
            #expect(verbs.contains { text.contains(". \($0)") }, "\(text)")
            #expect(text.hasSuffix("."), "\(text)")
        }
    }

    @Test func `no two cases read the same`() throws {
        let texts = try Self.samples().map(\.error.localizedDescription)
        #expect(Set(texts).count == texts.count)
    }

    @Test func `passwords in a URL are not told`() throws {
        let url = try #require(URL(string: "https://anna:secret@host.test/a.jpg"))
        let lost = TransferError.connectionLost(reason: "reset", url: url)
        let http = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil)
        )
        let errors: [KingfisherError] = [
            .responseError(reason: .URLSessionError(error: lost)),
            .responseError(reason: .invalidHTTPStatusCode(response: http)),
            .requestError(reason: .invalidURL(request: URLRequest(url: url))),
        ]
        for error in errors {
            #expect(error.localizedDescription.contains("https://host.test/a.jpg"))
            #expect(!error.localizedDescription.contains("secret"))
        }
    }
}
