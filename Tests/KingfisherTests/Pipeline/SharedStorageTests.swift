import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Machines that share a storage behind their disks.
@Suite(.timeLimit(.minutes(1)))
struct SharedStorageTests {
    private let transport = FakeTransport()
    private let storage = InMemorySharedStorage()
    private let url: URL
    private let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))

    init() throws { url = try #require(URL(string: "https://example.com/a.png")) }

    private func machine(
        _ settings: SharedStorageSettings = .patient,
        transformer: (any DiskDataTransformer)? = nil
    ) throws -> Machine {
        try Machine(transport, sharing: storage, settings: settings, transformer: transformer)
    }

    /// The number of reads that the storage got; a lease may be given back at any time.
    private var reads: Int {
        storage.calls.count { if case .values = $0 { true } else { false } }
    }

    private func serve(width: Int = 64, height: Int = 48) {
        transport.answer(url, with: .picture(.solid(.red, width: width, height: height)))
    }

    // MARK: Hits

    @Test func `what one machine has loaded another one finds, and keeps`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        let found = try await two.load(url)
        #expect(found.cacheType == .disk)
        #expect(found.image.pixelWidth == 64)
        #expect(found.timings.sharedStorage != nil)
        #expect(await two.isOnDisk(url))
        #expect(try await two.load(url).cacheType == .memory)
        two.cache.clearMemoryCache()
        #expect(try await two.load(url).cacheType == .disk)
        #expect(transport.requests.count == 1)
        #expect(two.statistics.hits == 1)
    }

    @Test func `a processed image is found as it is`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url, [.processor(small)])
        await one.settle()
        let found = try await two.load(url, [.processor(small)])
        #expect(found.cacheType == .disk)
        #expect(found.image.pixelWidth == 20)
        #expect(transport.requests.count == 1)
    }

    @Test func `another size is made from the original of another machine`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url, [.processor(small), .cacheOriginalImage])
        await one.settle()
        let larger = DownsamplingImageProcessor(size: CGSize(width: 32, height: 32))
        let made = try await two.load(url, [.processor(larger), .cacheOriginalImage])
        #expect(made.cacheType == .none)
        #expect(made.image.pixelWidth == 32)
        #expect(transport.requests.count == 1)
        #expect(await two.isOnDisk(url))
    }

    @Test func `bytes of a source are found, and downloaded by one machine`() async throws {
        serve()
        let machines = [try machine(), try machine(), try machine()]
        let files = try await withThrowingTaskGroup { group in
            for index in 0..<9 {
                group.addTask {
                    let manager = machines[index % 3].manager
                    return try await manager.retrieveOriginalData(with: .network(url)).data
                }
            }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(files == [ScriptedPicture.solid(.red).data(as: .png)])
        #expect(transport.requests.count == 1)
    }

    @Test func `ten loads that find an image ask once and decode once`() async throws {
        serve()
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        let two = try machine()
        let count = reads
        let sizes = try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await two.load(url).image.pixelWidth } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(sizes == [64])
        #expect(reads == count + 1)
        #expect(two.statistics.hits == 1)
    }

    @Test func `encoded files are shared too`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        let encoding = ImageEncoding.jpeg(quality: 0.5)
        let options: KingfisherOptionsInfo = [.processor(small)]
        let made = try await one.manager.retrieveData(with: url, options: options, as: encoding)
        await one.settle()
        let found = try await two.manager.retrieveData(with: url, options: options, as: encoding)
        #expect(found.cacheType == .disk)
        #expect(found.data == made.data)
        #expect(transport.requests.count == 1)
        try await eventually { storage.leasedNames.isEmpty }
    }

    @Test func `images of a user's serializer pass through the machine's disk`() async throws {
        struct Own: CacheSerializer {
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
                DefaultCacheSerializer.default.data(with: image, original: original)
            }
            func image(
                with data: Data,
                options: KingfisherParsedOptionsInfo
            )
                -> KFCrossPlatformImage?
            {
                DefaultCacheSerializer.default.image(with: data, options: options)
            }
        }
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url, [.cacheSerializer(Own())])
        await one.settle()
        #expect(try await two.load(url, [.cacheSerializer(Own())]).cacheType == .disk)
        #expect(transport.requests.count == 1)
    }

    @Test func `a load that must not go to the network finds it`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        #expect(try await two.load(url, [.onlyFromCache]).cacheType == .disk)
    }

    @Test func `a machine whose disk fails shares nevertheless`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        try one.breakDisk()
        _ = try await one.load(url)
        await one.settle()
        try two.breakDisk()
        #expect(try await two.load(url).cacheType == .disk)
        #expect(transport.requests.count == 1)
    }

    // MARK: What is not shared

    @Test func `without a storage, and with a refresh, nothing is asked`() async throws {
        serve()
        let one = try Machine(transport, sharing: nil)
        _ = try await one.load(url)
        #expect(one.cache.sharedStorage == nil)
        #expect(one.cache.sharedStorageStatistics == nil)
        let two = try machine()
        _ = try await two.load(url, [.forceRefresh, .cacheMemoryOnly])
        #expect(storage.calls.isEmpty)
    }

    @Test func `large files are not sent, and not taken`() async throws {
        serve()
        var settings = SharedStorageSettings.patient
        settings.largestEntry = 10
        let (one, two, third) = (try machine(settings), try machine(), try machine(settings))
        _ = try await one.load(url)
        await one.settle()
        #expect(storage.contents.isEmpty)
        #expect(one.statistics.oversized == 1)
        storage.contents = [
            CacheEntryName(key: url.cacheKey, identifier: "", forced: nil).sharedName:
                Data(count: 50_000)
        ]
        _ = try await third.load(url)
        #expect(third.statistics.damaged > 0)
        _ = try await two.load(url)
        #expect(transport.requests.count == 3)
    }

    @Test func `files of a machine are not shared`() async throws {
        let one = try machine()
        let file = one.folder.file("a.png")
        try ScriptedPicture.solid(.red).data(as: .png).write(to: file)
        _ = try await one.manager.retrieveImage(with: file)
        await one.settle()
        #expect(storage.calls.isEmpty)
    }

    @Test func `with a transformer the storage gets no readable bytes`() async throws {
        serve()
        let key = AESGCMTransformer(key: Data(repeating: 3, count: 32))
        let one = try machine(transformer: key)
        _ = try await one.load(url)
        await one.settle()
        let value = try #require(storage.contents.values.first)
        #expect(value.firstRange(of: Data("PNG".utf8)) == nil)
        #expect(try await machine(transformer: key).load(url).cacheType == .disk)
        let other = AESGCMTransformer(key: Data(repeating: 4, count: 32))
        #expect(try await machine(transformer: other).load(url).cacheType == .none)
        #expect(try await machine().load(url).cacheType == .none)
    }

    // MARK: Values that are not right

    @Test(arguments: [
        "cut", "longer", "bit", "empty", "garbage",
    ])
    func `a damaged value is missing, and replaced`(damage: String) async throws {
        serve()
        let (one, two, third) = (try machine(), try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        storage.contents = storage.contents.mapValues { value in
            var changed = value
            switch damage {
            case "cut": return value.dropLast(3)
            case "longer": return value + Data(count: 5)
            case "bit": changed[value.count / 2] ^= 16
            case "empty": return Data()
            default: return Data(repeating: 0xA5, count: 777)
            }
            return changed
        }
        let loaded = try await two.load(url)
        #expect(loaded.cacheType == .none)
        #expect(loaded.image.pixelWidth == 64)
        #expect(two.statistics.damaged > 0)
        await two.settle()
        #expect(try await third.load(url).cacheType == .disk)
        #expect(transport.requests.count == 2)
    }

    @Test func `a value under the name of another image is missing`() async throws {
        let other = try #require(URL(string: "https://example.com/b.png"))
        serve()
        transport.answer(other, with: .picture(.solid(.blue, width: 30, height: 30)))
        let one = try machine()
        _ = try await one.load(url)
        _ = try await one.load(other)
        await one.settle()
        let names = [url, other].map {
            CacheEntryName(key: $0.cacheKey, identifier: "", forced: nil).sharedName
        }
        let contents = storage.contents
        storage.contents = [
            names[0]: try #require(contents[names[1]]), names[1]: try #require(contents[names[0]]),
        ]
        let two = try machine()
        #expect(try await two.load(url).image.pixelWidth == 64)
        #expect(try await two.load(other).image.pixelWidth == 30)
        #expect(transport.requests.count == 4)
    }

    @Test func `lost writes are only misses`() async throws {
        serve()
        storage.faults.losesWrites = true
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        #expect(try await two.load(url).cacheType == .none)
    }

    // MARK: Removing

    @Test func `removing an image removes it everywhere`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        _ = try await two.load(url)
        await two.settle()
        try await one.cache.removeImage(forKey: url.cacheKey)
        await one.cache.flush()
        #expect(storage.contents.isEmpty)
        try await eventually { two.statistics.invalidations > 0 }
        #expect(!two.cache.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(await !two.isOnDisk(url))
        #expect(one.statistics.invalidations == 0)
        serve(width: 30)
        #expect(try await two.load(url).image.pixelWidth == 30)
    }

    @Test func `an image that was just removed is not found again`() async throws {
        serve()
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        // A failure must not meet the release of the lease, which would last then.
        try await eventually { storage.leasedNames.isEmpty }
        storage.faults.fails = true
        try await one.cache.removeImage(forKey: url.cacheKey)
        storage.faults.fails = false
        serve(width: 30)
        #expect(try await one.load(url).image.pixelWidth == 30)
    }

    @Test func `clearing a machine leaves the storage to the others`() async throws {
        serve()
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        await one.cache.clearCache()
        #expect(storage.contents.count == 1)
        #expect(try await one.load(url).cacheType == .disk)
    }

    @Test func `an image removed only from memory stays shared`() async throws {
        serve()
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        try await one.cache.removeImage(forKey: url.cacheKey, fromDisk: false)
        await one.settle()
        #expect(storage.contents.count == 1)
    }

    @Test func `a cache that stops sharing is no longer changed by others`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        _ = try await two.load(url)
        two.cache.useSharedStorage(nil)
        try await one.cache.removeImage(forKey: url.cacheKey)
        await one.settle()
        #expect(try await two.load(url).cacheType == .memory)
    }

    // MARK: What loads report

    @Test func `events and explanations name the storage`() async throws {
        serve()
        let (one, two) = (try machine(), try machine())
        let answers = Locked<[SharedStorageAnswer]>([])
        let observe: @Sendable (LoadEvent) -> Void = { event in
            if case .sharedStorage(let answer, _) = event.kind {
                answers.change { $0.append(answer) }
            }
        }
        let explanation = one.manager.explain(url)
        #expect(explanation.sharedStorage == .asked)
        #expect(explanation.description.contains("shared    asked"))
        let first = one.manager.observeLoads(observe)
        _ = try await one.load(url)
        await one.settle()
        #expect(answers.value == [.miss, .granted])
        first.cancel()
        answers.change { $0 = [] }
        let second = two.manager.observeLoads(observe)
        _ = try await two.load(url)
        #expect(answers.value == [.hit])
        second.cancel()
        #expect(two.manager.explain(url).sharedStorage == nil)
    }
}
