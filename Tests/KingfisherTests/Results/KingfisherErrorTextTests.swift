import Foundation
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The error texts: for each case what happened, to what, and what to do about it.
struct KingfisherErrorTextTests {
    struct Refusal: Error, CustomStringConvertible {
        let description = "the door was shut"
    }

    struct Sample {
        let error: KingfisherError
        /// A URL, key, path or reason that the text must contain; empty if there is none.
        let names: String
    }

    /// The URL and the key in the errors.
    struct Subject {
        let url: URL
        let key: String

        init(_ text: String = "https://host.test/a.jpg", key: String = "the-key") throws {
            url = try #require(URL(string: text))
            self.key = key
        }

        var provider: RawImageDataProvider { RawImageDataProvider(data: Data(), cacheKey: key) }
    }

    static func samples(_ subject: Subject? = nil) throws -> [Sample] {
        let subject = try subject ?? Subject()
        return try requests(subject) + responses(subject) + caches(subject) + settings(subject)
    }

    static func requests(_ subject: Subject) throws -> [Sample] {
        let url = subject.url
        let request = URLRequest(url: url)
        let live = LivePhotoSource(urls: [url])
        let task = SessionDataTask(request: request)
        return [
            (.emptyRequest, ""),
            (.invalidURL(request: request), url.absoluteString),
            (.taskCancelled(task: task, token: 7), url.absoluteString),
            (.livePhotoTaskCancelled(source: live), url.absoluteString),
            (.asyncTaskContextCancelled, ""),
            (.dataProviderCancelled(provider: subject.provider), subject.key),
        ].map { (reason: KingfisherError.RequestErrorReason, names) in
            Sample(error: .requestError(reason: reason), names: names)
        }
    }

    static func responses(_ subject: Subject) throws -> [Sample] {
        let url = subject.url
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

    static func caches(_ subject: Subject) throws -> [Sample] {
        let folder = URL(fileURLWithPath: "/folder")
        let part = LivePhotoResource(downloadURL: subject.url)
        let why = Refusal()
        return [
            (.fileEnumeratorCreationFailed(url: folder), "/folder"),
            (.invalidFileEnumeratorContent(url: folder), "/folder"),
            (.invalidURLResource(error: why, key: subject.key, url: folder), subject.key),
            (.cannotLoadDataFromDisk(url: folder, error: why), "/folder"),
            (.cannotCreateDirectory(path: "/folder", error: why), "/folder"),
            (.imageNotExisting(key: subject.key), subject.key),
            (.cannotConvertToData(object: 1, error: why), "the door was shut"),
            (
                .cannotSerializeImage(
                    image: nil,
                    original: nil,
                    serializer: DefaultCacheSerializer.default
                ), "DefaultCacheSerializer"
            ),
            (
                .cannotCreateCacheFile(fileURL: folder, key: subject.key, data: Data(), error: why),
                subject.key
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

    static func settings(_ subject: Subject) throws -> [Sample] {
        let url = subject.url
        let live = LivePhotoSource(urls: [url])
        let source = Source.network(url)
        let failed = PropagationError(source: source, error: .requestError(reason: .emptyRequest))
        let processor = BlurImageProcessor(blurRadius: 4)
        let reasons: [(KingfisherError.ImageSettingErrorReason, String)] = [
            (.emptySource, ""),
            (.notCurrentSourceTask(result: nil, error: nil, source: source), url.absoluteString),
            (.dataProviderError(provider: subject.provider, error: Refusal()), subject.key),
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

    @Test func `every text names the fault and its object`() throws {
        for sample in try Self.samples() {
            let text = sample.error.localizedDescription
            #expect(sample.names.isEmpty || text.contains(sample.names), "\(text)")
            #expect(!text.contains("Optional("), "\(text)")
            #expect(!text.contains("..") && !text.contains("  "), "\(text)")
        }
    }

    @Test func `every text ends with advice`() throws {
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

    @Test func `a size that is no number of pixels has a text`() throws {
        let size = CGSize(width: CGFloat.infinity, height: .nan)
        let error = KingfisherError.processorError(
            reason: .resultTooLarge(
                processor: DefaultImageProcessor.default,
                size: size,
                limits: .default
            )
        )
        let text = try #require(error.errorDescription)
        #expect(text.contains("2147483647 × 0 pixels"))
    }
}
