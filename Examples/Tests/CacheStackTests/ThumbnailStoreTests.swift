// How to test a stack of cache, serializer and processor, with the network stubbed by URLProtocol.
import CacheStack
import Foundation
import Kingfisher
import KingfisherTesting
import Testing

struct ThumbnailStoreTests {
    let store: ThumbnailStore
    let url: URL
    let picture = ScriptedPicture.gradient(from: .blue, to: .yellow, width: 400, height: 200)

    init() throws {
        let name = UUID().uuidString
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        store = try ThumbnailStore(folder: folder, configuration: NetworkStub.configuration)
        url = try #require(URL(string: "https://pictures.example/\(name).jpg"))
        NetworkStub.book.answer(url.path, with: .init(body: picture.data(as: .jpeg)))
    }

    private var requestCount: Int { NetworkStub.book.requests(for: url.path).count }

    @Test func `a thumbnail is loaded once, also after memory was trimmed`() async throws {
        let first = try await store.thumbnail(of: url, version: "1")
        #expect(first.size == CGSize(width: 100, height: 50))
        store.trim()
        let second = try await store.thumbnail(of: url, version: "1")
        #expect(second.size == first.size)
        #expect(requestCount == 1)
        _ = try await store.thumbnail(of: url, version: "2")
        #expect(requestCount == 2)
    }

    @Test func `the request names the types that it accepts`() async throws {
        _ = try await store.thumbnail(of: url, version: "1")
        let request = try #require(NetworkStub.book.requests(for: url.path).first)
        #expect(request.value(forHTTPHeaderField: "Accept") == "image/*")
    }

    @Test func `files are ours, and damage is a miss`() async throws {
        _ = try await store.thumbnail(of: url, version: "1")
        let entry = try #require(store.manager.cache.diskStorage.entries.first)
        #expect(entry.fileURL.pathExtension == "thumb")
        let file = try Data(contentsOf: entry.fileURL)
        #expect(file.starts(with: Data("thumb/1 ".utf8)))
        let serializer = ThumbnailSerializer()
        let options = KingfisherParsedOptionsInfo(nil)
        #expect(serializer.image(with: file, options: options) != nil)
        #expect(serializer.image(with: file + Data([1]), options: options) == nil)
        try Data("rubbish".utf8).write(to: entry.fileURL)
        store.trim()
        _ = try await store.thumbnail(of: url, version: "1")
        #expect(requestCount == 2)
    }

    @Test func `a failure is tried again, and then named`() async throws {
        NetworkStub.book.answer(
            url.path,
            with: .init(status: 503),
            .init(body: picture.data(as: .jpeg))
        )
        _ = try await store.thumbnail(of: url, version: "1")
        #expect(requestCount == 2)
        let missing = try #require(URL(string: "https://pictures.example/none-\(UUID()).jpg"))
        do {
            _ = try await store.thumbnail(of: missing, version: "1")
            Issue.record("there is no such image")
        } catch KingfisherError.responseError(reason: .URLSessionError(let error)) {
            #expect((error as? URLError)?.code == .cannotFindHost)
        }
    }
}
