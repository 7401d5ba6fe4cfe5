import Foundation
import KFPixels
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Whole loads while the system fails, from the network through both caches.
///
/// They run where Scripts/faults.sh has loaded its library. `KF_FAULT_ROUNDS` says how many folders
/// are tried, 40 unless set; `KF_FAULT_SEED` where to begin. A complaint names its seed.
@Suite(.timeLimit(.minutes(10)), .enabled(if: SystemFaults.shared != nil))
struct SystemFaultTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["KF_FAULT_ROUNDS"].flatMap(Int.init) ?? 40
    private static let firstSeed = environment["KF_FAULT_SEED"].flatMap(Int.init) ?? 1

    @Test
    func
        `a full disk, a broken one, no descriptors and a jumping clock give right images or errors`()
        async throws
    {
        let faults = try #require(SystemFaults.shared)
        var totals = FaultRound.Totals()
        for seed in Self.firstSeed..<Self.firstSeed + Self.rounds {
            let round = try FaultRound(seed: UInt64(seed), faults: faults)
            let complaints = try await round.run(&totals)
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.joined(separator: "; "))")
        }
        #expect(totals.faults > Self.rounds)
        #expect(totals.images > totals.errors / 10)
        #expect(Self.rounds < 20 || totals.errors > 0)
    }
}

/// The library of Scripts/faults.sh, in this process.
struct SystemFaults: Sendable {
    typealias Begin = @convention(c) (UnsafePointer<CChar>, UInt64, UInt32) -> Void

    let begin: Begin
    /// Returns the number of calls that failed.
    let end: @convention(c) () -> Int
    /// Moves the wall clock by seconds.
    let jump: @convention(c) (Int) -> Void

    static let shared: SystemFaults? = {
        guard let begin = dlsym(nil, "kf_faults_begin"), let end = dlsym(nil, "kf_faults_end"),
            let jump = dlsym(nil, "kf_faults_jump")
        else { return nil }
        return SystemFaults(
            begin: unsafeBitCast(begin, to: Begin.self),
            end: unsafeBitCast(end, to: (@convention(c) () -> Int).self),
            jump: unsafeBitCast(jump, to: (@convention(c) (Int) -> Void).self)
        )
    }()
}

/// One folder, one server, and loads of its pictures.
private final class FaultRound {
    struct Totals {
        var faults = 0
        var images = 0
        var errors = 0
    }

    private static let pictureCount = 5
    private static let versions = 3

    private let faults: SystemFaults
    private let folder: TemporaryDirectory
    private let server: ImageServer
    private let pictures: FaultPictures
    private let seed: UInt64
    private var random: SplitMix

    init(seed: UInt64, faults: SystemFaults) throws {
        self.seed = seed
        self.faults = faults
        folder = try TemporaryDirectory()
        server = try ImageServer()
        random = SplitMix(seed: seed)
        pictures = try FaultPictures(count: Self.pictureCount, versions: Self.versions)
        pictures.serve(by: server, seed: seed)
    }

    func run(_ totals: inout Totals) async throws -> [String] {
        // Bodies that do not fit into memory go there.
        setenv("TMPDIR", folder.url.path, 1)
        defer { unsetenv("TMPDIR") }
        var complaints: [String] = []
        let rate = UInt32([5, 30, 150, 500][number(below: 4)])
        faults.begin(folder.url.path, seed, rate)
        do {
            let manager = try makeManager()
            for _ in 0..<8 { complaints += await step(manager, &totals) }
            totals.faults += faults.end()
            pictures.isSteady.store(true, ordering: .relaxed)
            complaints += await check(manager, "in the same cache")
        } catch is KingfisherError {
            // The folder could not be made.
            totals.faults += faults.end()
        }
        pictures.isSteady.store(true, ordering: .relaxed)
        let manager = try makeManager()
        complaints += await check(manager, "in a new cache")
        complaints += try leftovers(manager.cache)
        server.stop()
        return complaints
    }

    private func makeManager() throws -> KingfisherManager {
        let cache = try ImageCache(name: "faults", cacheDirectoryURL: folder.file("cache"))
        let downloader = ImageDownloader(name: "faults")
        downloader.transferSettings.maxBodyBytesInMemory = 2 << 10
        var resumption = DownloadResumption(folder: folder.file("downloads"))
        resumption.minBytes = 1 << 10
        downloader.resumption = resumption
        return KingfisherManager(downloader: downloader, cache: cache)
    }

    private func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// Something happens to the folder, and then four loads at once.
    private func step(_ manager: KingfisherManager, _ totals: inout Totals) async -> [String] {
        switch number(below: 12) {
        case 0: manager.cache.clearMemoryCache()
        case 1: await manager.cache.cleanExpiredDiskCache()
        case 2: await manager.cache.clearDiskCache()
        case 3: faults.jump(Int(random.next() % 2_000_000) - 1_000_000)
        case 4: pictures.publish(number(below: Self.pictureCount))
        case 5:
            let url = server.url(pictures.path(number(below: Self.pictureCount)))
            // Not there, or not to be removed: either may be.
            try? await manager.cache.removeImage(forKey: url.cacheKey)
        default: break
        }
        var wishes: [FaultWish] = []
        for _ in 0..<4 {
            wishes.append(
                FaultWish(
                    picture: number(below: Self.pictureCount),
                    isSmall: number(below: 2) == 0,
                    options: chosenOptions()
                )
            )
        }
        let outcomes = await loaded(wishes, manager)
        totals.images += outcomes.count { $0 == .image }
        totals.errors += outcomes.count { $0 == .error }
        return outcomes.compactMap { if case .wrong(let text) = $0 { text } else { nil } }
    }

    private func chosenOptions() -> KingfisherOptionsInfo {
        var options: KingfisherOptionsInfo = []
        if number(below: 3) == 0 { options.append(.cacheOriginalImage) }
        if number(below: 3) == 0 { options.append(.waitForCache) }
        if number(below: 3) == 0 { options.append(.httpCaching) }
        if number(below: 6) == 0 { options.append(.forceRefresh) }
        if number(below: 6) == 0 { options.append(.onlyFromCache) }
        if number(below: 4) == 0 { options.append(.memoryCacheExpiration(.expired)) }
        if number(below: 6) == 0 { options.append(.diskStoreWriteOptions(.atomic)) }
        return options
    }

    private func loaded(
        _ wishes: [FaultWish],
        _ manager: KingfisherManager
    ) async -> [FaultWish.Outcome] {
        await withTaskGroup(of: FaultWish.Outcome.self) { group in
            for wish in wishes {
                let url = server.url(pictures.path(wish.picture))
                group.addTask { [pictures] in await wish.load(url, manager, pictures) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: Afterwards

    /// Every picture from the caches alone, and then from wherever it comes.
    private func check(_ manager: KingfisherManager, _ place: String) async -> [String] {
        manager.cache.clearMemoryCache()
        var complaints: [String] = []
        for options in [[.onlyFromCache], []] as [KingfisherOptionsInfo] {
            for picture in 0..<Self.pictureCount {
                for isSmall in [false, true] {
                    let wish = FaultWish(picture: picture, isSmall: isSmall, options: options)
                    let url = server.url(pictures.path(picture))
                    switch await wish.load(url, manager, pictures) {
                    case .wrong(let text): complaints.append("\(text), \(place)")
                    case .error where options.isEmpty:
                        complaints.append("picture \(picture) does not load, \(place)")
                    case .error, .image: break
                    }
                }
            }
        }
        return complaints
    }

    /// Files that nobody needs, and entries that are damaged.
    private func leftovers(_ cache: ImageCache) throws -> [String] {
        let folder = cache.diskStorage.directoryURL
        // What could not be deleted then is deleted when a folder is opened.
        let store = DiskStore(directory: folder.path)
        try store.prepare()
        var complaints: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !name.hasPrefix(".") {
            let isWhole = try store.data(named: name) != nil
            if !isWhole { complaints.append("\(name) is damaged, or belongs to nothing") }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path)
        where name.hasPrefix(".kingfisher-body") {
            complaints.append("\(name) is left behind")
        }
        return complaints
    }
}

/// One load and what it may give.
private struct FaultWish: Sendable {
    enum Outcome: Sendable, Equatable {
        case image
        case error
        case wrong(String)
    }

    let picture: Int
    let isSmall: Bool
    let options: KingfisherOptionsInfo

    func load(
        _ url: URL,
        _ manager: KingfisherManager,
        _ pictures: FaultPictures
    ) async -> Outcome {
        let options = isSmall ? options + [.processor(FaultPictures.processor)] : options
        do {
            let image = try await manager.retrieveImage(with: url, options: options).image
            return pictures.isRight(image, picture, isSmall: isSmall)
                ? .image : .wrong("picture \(picture) is wrong\(isSmall ? " when small" : "")")
        } catch let error as KingfisherError {
            let text = error.errorDescription ?? ""
            return text.isEmpty ? .wrong("an error without a text") : .error
        } catch {
            return .wrong("\(type(of: error)) instead of a KingfisherError")
        }
    }
}

/// Pictures that can be told apart, in several versions each.
private final class FaultPictures: Sendable {
    static let processor = ResizingImageProcessor(
        referenceSize: CGSize(width: 24, height: 24),
        mode: .aspectFit
    )

    private struct Version {
        let data: Data
        let whole: Bitmap
        let small: Bitmap
    }

    private let versions: [[Version]]
    private let published: Mutex<[Int]>
    /// Whether every answer comes to its end.
    let isSteady = Atomic(false)

    init(count: Int, versions: Int) throws {
        self.versions = try (0..<count).map { picture in
            try (0..<versions).map { try Self.make(picture, $0) }
        }
        published = Mutex(Array(repeating: 0, count: count))
    }

    private static func make(_ picture: Int, _ version: Int) throws -> Version {
        var random = SplitMix(seed: UInt64(picture * 100 + version))
        let size = PixelSize(width: 40 + picture, height: 50 + version)
        // Noise, so that a body is large for its pixels.
        let bitmap = try Bitmap(size: size, isOpaque: true) { pixels, bytesPerRow in
            for offset in 0..<size.height * bytesPerRow {
                pixels[offset] = offset % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next())
            }
        }
        let image = KFCrossPlatformImage(bitmap: bitmap)
        let data = try #require(image.kf.pngRepresentation())
        let small = processor.process(
            item: .data(data),
            options: KingfisherParsedOptionsInfo(nil)
        )
        let whole = try #require(KFCrossPlatformImage(data: data)?.bitmap)
        return Version(data: data, whole: whole, small: try #require(small?.bitmap))
    }

    func path(_ picture: Int) -> String { "/\(picture).png" }

    /// The next version takes the place of this one.
    func publish(_ picture: Int) {
        published.withLock { $0[picture] = ($0[picture] + 1) % versions[picture].count }
    }

    /// Whether an image is one of the versions of its picture, whole.
    func isRight(_ image: KFCrossPlatformImage, _ picture: Int, isSmall: Bool) -> Bool {
        versions[picture].contains { (isSmall ? $0.small : $0.whole) == image.bitmap }
    }

    /// Serves all, some answers broken off in the middle, and ranges.
    func serve(by server: ImageServer, seed: UInt64) {
        let random = Mutex(SplitMix(seed: seed &+ 1))
        for picture in versions.indices {
            server.route(path(picture)) { [self] request in
                answer(request, picture, chance: random.withLock { $0.next() })
            }
        }
    }

    private func answer(_ request: ServerRequest, _ picture: Int, chance: UInt64) -> ServerReply {
        let version = published.withLock { $0[picture] }
        let data = versions[picture][version].data
        let tag = "\"\(picture)-\(version)\""
        var fields = [
            ("ETag", tag), ("Cache-Control", "max-age=\(chance % 200)"),
            ("Content-Type", "image/png"), ("Accept-Ranges", "bytes"),
        ]
        if request.value(for: "If-None-Match") == tag {
            return .status(304, fields: fields)
        }
        if request.value(for: "If-Range") == tag,
            let range = request.value(for: "Range"),
            let start = Int(range.dropFirst("bytes=".count).prefix { $0.isNumber }),
            start < data.count
        {
            fields.append(("Content-Range", "bytes \(start)-\(data.count - 1)/\(data.count)"))
            return .body(data[start...], status: 206, type: "image/png", fields: fields)
        }
        fields.append(("Content-Length", "\(data.count)"))
        let head = ServerReply.head(200, fields)
        guard chance % 5 == 0, !isSteady.load(ordering: .relaxed) else {
            return ServerReply(steps: [.send(head + data)])
        }
        return ServerReply(steps: [.send(head + data.prefix(data.count * 2 / 3)), .reset])
    }
}
