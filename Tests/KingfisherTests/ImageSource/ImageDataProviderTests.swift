import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ImageDataProviderTests {
    @Test func `PRV-1: a file is read, and its error is handed on`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.bin")
        try Data([1, 2, 3]).write(to: file)
        #expect(try await LocalFileImageDataProvider(fileURL: file).data == Data([1, 2, 3]))
        let missing = LocalFileImageDataProvider(fileURL: folder.file("none"))
        await #expect(throws: (any Error).self) { try await missing.data }
        #expect(missing.contentURL == folder.file("none"))
    }

    @MainActor
    @Test func `PRV-1: on the main queue it reads before it returns, if that is asked for`() throws
    {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.bin")
        try Data([1, 2, 3]).write(to: file)
        let provider = LocalFileImageDataProvider(
            fileURL: file,
            loadingQueue: .mainCurrentOrAsync
        )
        let seen = Locked<Data?>(nil)
        provider.data { result in seen.change { $0 = try? result.get() } }
        #expect(seen.value == Data([1, 2, 3]))
    }

    @Test(.timeLimit(.minutes(1)))
    func `PRV-1: it reads on a global queue by default`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.bin")
        try Data([1]).write(to: file)
        let isOnMain = await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                LocalFileImageDataProvider(fileURL: file).data { _ in
                    continuation.resume(returning: MainQueue.isCurrent)
                }
            }
        }
        #expect(!isOnMain)
    }

    @Test func `the second answer of a provider is ignored`() async throws {
        struct Repeating: ImageDataProvider {
            let cacheKey = "key"
            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                handler(.success(Data("first".utf8)))
                handler(.failure(CancellationError()))
            }
        }
        #expect(try await Repeating().data() == Data("first".utf8))
    }

    @Test func `PRV-2: base64 and raw bytes call back before they return`() {
        let seen = Locked<[Data]>([])
        Base64ImageDataProvider(base64String: "AQID", cacheKey: "k").data { result in
            if let data = try? result.get() { seen.change { $0.append(data) } }
        }
        RawImageDataProvider(data: Data([4]), cacheKey: "k").data { result in
            if let data = try? result.get() { seen.change { $0.append(data) } }
        }
        let datas = seen.value
        #expect(datas == [Data([1, 2, 3]), Data([4])])
    }

    @Test func `PRV-2: invalid base64 is an error`() {
        let failed = Locked(false)
        Base64ImageDataProvider(base64String: "€", cacheKey: "k").data { result in
            if case .failure = result { failed.change { $0 = true } }
        }
        let didFail = failed.value
        #expect(didFail)
    }

    struct AsyncProvider: ImageDataProvider {
        let cacheKey = "async"
        func data() async throws -> Data { Data([9]) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `PRV-4: each overload has a default that calls the other`() async throws {
        let raw: any ImageDataProvider = RawImageDataProvider(data: Data([4]), cacheKey: "k")
        #expect(try await raw.data() == Data([4]))
        let data = await withCheckedContinuation { continuation in
            AsyncProvider().data { continuation.resume(returning: try? $0.get()) }
        }
        #expect(data == Data([9]))
    }

    @Test func `LIV-1: the kind of a part follows from its extension`() throws {
        let still = try #require(URL(string: "https://example.com/a.HEIC"))
        let movie = try #require(URL(string: "https://example.com/a.mov"))
        let other = try #require(URL(string: "https://example.com/a.jpg"))
        let types = LivePhotoSource(urls: [still, movie, other]).resources.map(\.referenceFileType)
        #expect(types == [.heic, .mov, .other("jpg")])
    }
}
