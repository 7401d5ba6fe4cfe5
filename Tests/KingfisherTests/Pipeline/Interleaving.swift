import Foundation
import KFPixels
import KingfisherTesting
import TestSupport

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One scenario: a few loads of a few pictures, and what befalls them.
final class Interleaving {
    private let seed: UInt64
    private var chance: SplitMix
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let cache: ImageCache
    private let manager: KingfisherManager
    private let urls: [URL]
    private var loads: [InterleavedLoad] = []
    /// How many transfers the script has ended.
    private var ended: Set<Int> = []
    private var complaints: [String] = []

    init(seed: UInt64, cache: ImageCache) {
        self.seed = seed
        self.cache = cache
        chance = SplitMix(seed: seed)
        downloader = ImageDownloader(name: "interleaving", transport: transport)
        manager = KingfisherManager(downloader: downloader, cache: cache)
        let count = Int.random(in: 1...3, using: &chance)
        // The scenario's own keys, so that one cache serves all of them.
        urls = (0..<count).compactMap { URL(string: "http://127.0.0.1/\(seed)/\($0).png") }
    }

    /// Plays the scenario to its end, and tells what was wrong.
    func run() async -> [String] {
        for _ in 0..<Int.random(in: 4...24, using: &chance) {
            step()
            await pause()
        }
        let cancelsAll = Int.random(in: 0..<4, using: &chance) == 0
        if cancelsAll { for load in loads { load.cancel() } }
        await drain()
        check()
        return complaints
    }

    // MARK: What happens

    private func step() {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0...3: begin()
        case 4: loads.randomElement(using: &chance)?.cancel()
        case 5: loads.randomElement(using: &chance)?.supersede()
        case 6: evict()
        case 7: endTransfer(well: false)
        default: endTransfer(well: true)
        }
    }

    private func begin() {
        guard loads.count < 10, let url = urls.randomElement(using: &chance) else { return }
        var options: KingfisherOptionsInfo = [.callbackQueue(.untouch)]
        if Int.random(in: 0..<8, using: &chance) > 0 { options.append(.cacheMemoryOnly) }
        if Int.random(in: 0..<6, using: &chance) == 0 { options.append(.forceRefresh) }
        if Int.random(in: 0..<8, using: &chance) == 0 { options.append(.onlyFromCache) }
        if Int.random(in: 0..<4, using: &chance) == 0 { options.append(.cacheOriginalImage) }
        if Int.random(in: 0..<4, using: &chance) == 0 {
            options.append(
                .retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0)))
            )
        }
        if Int.random(in: 0..<4, using: &chance) == 0,
            let other = urls.randomElement(using: &chance)
        {
            options.append(.alternativeSources([.network(other)]))
        }
        let side = [0, 0, 4, 6, 8].randomElement(using: &chance) ?? 0
        if side > 0 {
            let size = CGSize(width: side, height: side)
            options.append(.processor(DownsamplingImageProcessor(size: size)))
        } else if Int.random(in: 0..<4, using: &chance) == 0 {
            options.append(.processor(CountingProcessor()))
        }
        options.append(.downloadPriority(Float.random(in: 0...1, using: &chance)))
        loads.append(
            InterleavedLoad(
                url,
                options: options,
                side: side,
                by: manager,
                isAsync: Bool.random(using: &chance)
            )
        )
    }

    private func evict() {
        guard let url = urls.randomElement(using: &chance) else { return }
        cache.removeImage(forKey: url.cacheKey)
        if Bool.random(using: &chance) { cache.clearMemoryCache() }
    }

    private func endTransfer(well: Bool) {
        let open = transport.transfers.indices.filter { !ended.contains($0) }
        guard let index = open.randomElement(using: &chance) else { return }
        end(index, well: well)
    }

    private func end(_ index: Int, well: Bool) {
        ended.insert(index)
        guard let transfer = transport.transfers.dropFirst(index).first,
            let url = transfer.request.url, let number = urls.firstIndex(of: url)
        else { return }
        guard !well else { return transfer.complete(Self.bodies[number]) }
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: transfer.complete(Data(), status: 404)
        case 1: transfer.complete(Data("no picture".utf8))
        case 2: transfer.complete(Self.bodies[number].prefix(50))
        default:
            transfer.respond(length: 1_000)
            transfer.send(Self.bodies[number].prefix(30))
            transfer.finish(.connectionLost(reason: "the script says so", url: url))
        }
    }

    /// Lets others work for a while, or not at all.
    private func pause() async {
        for _ in 0..<([0, 0, 1, 5, 40].randomElement(using: &chance) ?? 0) { await Task.yield() }
    }

    /// Ends every transfer until every load has ended.
    private func drain() async {
        while loads.contains(where: { $0.outcomes.isEmpty }) {
            for index in transport.transfers.indices where !ended.contains(index) {
                end(index, well: true)
            }
            await Task.yield()
        }
        for load in loads { await load.finished() }
        // Work whose callers have left ends by itself.
        for _ in 0..<1_000_000 where downloader.processing.runningCount != 0 { await Task.yield() }
    }

    // MARK: What must hold

    private func check() {
        for (number, load) in loads.enumerated() {
            guard load.outcomes.count == 1 else {
                complaints.append("load \(number) completed \(load.outcomes.count) times")
                continue
            }
            if let wrong = complaint(about: load) { complaints.append("load \(number) \(wrong)") }
        }
        let open = transport.transfers.enumerated().filter { index, transfer in
            !ended.contains(index) && !transfer.isCancelled
        }
        if !open.isEmpty { complaints.append("\(open.count) transfers go on for nobody") }
        if !downloader.downloads.isEmpty { complaints.append("a download or its bytes are left") }
        if downloader.processing.runningCount != 0 { complaints.append("processing is left") }
    }

    private func complaint(about load: InterleavedLoad) -> String? {
        switch load.outcomes[0] {
        case .success(let result):
            guard let url = result.source.url, let number = urls.firstIndex(of: url) else {
                return "came from an unknown source"
            }
            let width = load.side == 0 ? Self.width(number) : load.side
            guard result.image.pixelWidth == width else {
                return "is \(result.image.pixelWidth) pixels wide instead of \(width)"
            }
            guard result.image.bitmap?[0, 0] == Self.pixels[number] else {
                return "shows another picture"
            }
            return nil
        case .failure(let error):
            // A cancel is told to those alone who asked for one.
            return error.isCancellation && !load.isCancelled ? "was told of a cancel" : nil
        }
    }

    // MARK: The pictures

    private static func width(_ number: Int) -> Int { 12 + 4 * number }

    private static let colors: [KFCrossPlatformColor] = [.red, .green, .blue]

    private static let bodies: [Data] = colors.enumerated().map { number, color in
        ScriptedPicture.solid(color, width: width(number), height: 12).data(as: .png)
    }

    /// What a picture's first pixel is.
    private static let pixels: [RGBA?] = bodies.map {
        KFCrossPlatformImage(data: $0)?.bitmap?[0, 0]
    }
}
