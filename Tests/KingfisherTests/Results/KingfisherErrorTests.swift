import Foundation
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct KingfisherErrorTests {
    static let url = URL(fileURLWithPath: "/folder/file")
    static let response = URLResponse(
        url: url,
        mimeType: nil,
        expectedContentLength: 0,
        textEncodingName: nil
    )
    struct Underlying: LocalizedError {
        var errorDescription: String? { "because." }
    }

    @Test func `ERR-1: each reason has its code`() throws {
        let request = URLRequest(url: Self.url)
        let task = SessionDataTask(request: request)
        let provider = RawImageDataProvider(data: Data(), cacheKey: "k")
        let live = LivePhotoSource(urls: [])
        let http = try #require(
            HTTPURLResponse(url: Self.url, statusCode: 404, httpVersion: nil, headerFields: nil)
        )
        let reasons: [(KingfisherError, Int)] = [
            (.requestError(reason: .emptyRequest), 1001),
            (.requestError(reason: .invalidURL(request: request)), 1002),
            (.requestError(reason: .taskCancelled(task: task, token: 1)), 1003),
            (.requestError(reason: .livePhotoTaskCancelled(source: live)), 1004),
            (.requestError(reason: .asyncTaskContextCancelled), 1005),
            (.requestError(reason: .dataProviderCancelled(provider: provider)), 1006),
            (.responseError(reason: .invalidURLResponse(response: Self.response)), 2001),
            (.responseError(reason: .invalidHTTPStatusCode(response: http)), 2002),
            (.responseError(reason: .URLSessionError(error: Underlying())), 2003),
            (.responseError(reason: .dataModifyingFailed(task: task)), 2004),
            (.responseError(reason: .noURLResponse(task: task)), 2005),
            (.responseError(reason: .cancelledByDelegate(response: Self.response)), 2006),
            (.imageSettingError(reason: .emptySource), 5001),
            (.imageSettingError(reason: .alternativeSourcesExhausted([])), 5004),
        ]
        for (error, code) in reasons {
            #expect(error.errorCode == code)
            #expect(error.errorDescription?.isEmpty == false)
        }
    }

    @Test func `ERR-1: each reason of the cache has its code`() {
        let image = KFCrossPlatformImage()
        let reasons: [(KingfisherError.CacheErrorReason, Int)] = [
            (.fileEnumeratorCreationFailed(url: Self.url), 3001),
            (.invalidFileEnumeratorContent(url: Self.url), 3002),
            (.invalidURLResource(error: Underlying(), key: "k", url: Self.url), 3003),
            (.cannotLoadDataFromDisk(url: Self.url, error: Underlying()), 3004),
            (.cannotCreateDirectory(path: "/p", error: Underlying()), 3005),
            (.imageNotExisting(key: "k"), 3006),
            (.cannotConvertToData(object: 1, error: Underlying()), 3007),
            (
                .cannotSerializeImage(
                    image: image,
                    original: nil,
                    serializer: DefaultCacheSerializer.default
                ), 3008
            ),
            (
                .cannotCreateCacheFile(
                    fileURL: Self.url,
                    key: "k",
                    data: Data(),
                    error: Underlying()
                ), 3009
            ),
            (
                .cannotSetCacheFileAttribute(
                    filePath: "/p",
                    attributes: [:],
                    error: Underlying()
                ), 3010
            ),
            (.diskStorageIsNotReady(cacheURL: Self.url), 3011),
        ]
        for (reason, code) in reasons {
            let error = KingfisherError.cacheError(reason: reason)
            #expect(error.errorCode == code)
            #expect(error.errorDescription?.isEmpty == false)
        }
    }

    @Test func `ERR-2: the domain is offered under both names`() {
        let error = KingfisherError.requestError(reason: .emptyRequest) as any Error
        #expect(KingfisherError.domain == "com.onevcat.Kingfisher.Error")
        #expect((error as NSError).domain == KingfisherError.domain)
        #expect((error as NSError).code == 1001)
    }

    @Test func `ERR-3: the questions are true for their one reason`() throws {
        let http = try #require(
            HTTPURLResponse(url: Self.url, statusCode: 404, httpVersion: nil, headerFields: nil)
        )
        let refused = KingfisherError.responseError(reason: .invalidHTTPStatusCode(response: http))
        #expect(refused.isInvalidResponseStatusCode)
        #expect(refused.isInvalidResponseStatusCode(404))
        #expect(!refused.isInvalidResponseStatusCode(500))
        let context = KingfisherError.requestError(reason: .asyncTaskContextCancelled)
        #expect(!context.isTaskCancelled)
        #expect(context.isCancellation)
    }

    @Test func `texts name the fault and the key`() {
        let error = KingfisherError.cacheError(reason: .imageNotExisting(key: "https://a/b"))
        #expect(error.localizedDescription.contains("https://a/b"))
        let wrapped = KingfisherError.responseError(reason: .URLSessionError(error: Underlying()))
        #expect(wrapped.localizedDescription.contains("because."))
    }
}
