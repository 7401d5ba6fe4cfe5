import Foundation
import KFCodecs
import KFPixels
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct ProgressiveTests {
    let transport = FakeTransport()
    let folder: TemporaryDirectory
    let manager: KingfisherManager
    let url: URL
    let clock = ManualClock()
    let shown = Locked<[KFCrossPlatformImage?]>([])
    /// The file, cut behind the header and behind each scan.
    let parts: [Data]

    init() throws {
        folder = try TemporaryDirectory()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "progressive", transport: transport),
            cache: try ImageCache(name: "progressive", cacheDirectoryURL: folder.url)
        )
        url = try #require(URL(string: "http://127.0.0.1/a.jpg"))
        let file = try Codecs.encode(
            TestScene.opaque(),
            as: .jpeg,
            options: EncodeOptions(isProgressive: true)
        )
        parts = Self.cut(file)
    }

    /// Cuts in front of every start of a scan; the encoder writes no other JPEG inside.
    private static func cut(_ file: Data) -> [Data] {
        let bytes = [UInt8](file)
        let starts = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        return zip([0] + starts, starts + [bytes.count]).map { Data(bytes[$0..<$1]) }
    }

    /// Starts a load whose intermediate pictures are noted.
    private func load(
        _ progressive: ImageProgressive,
        _ options: KingfisherOptionsInfo = [],
        isStillWanted: (@Sendable () -> Bool)? = nil,
        into shown: Locked<[KFCrossPlatformImage?]>? = nil,
        by wallClock: WallClock? = nil,
        began: @escaping @Sendable (DownloadTask) -> Void = { _ in }
    ) -> Task<KFCrossPlatformImage, any Error> {
        let list: KingfisherOptionsInfo = [
            .progressiveJPEG(progressive), .callbackQueue(.untouch), .cacheMemoryOnly,
        ]
        let parsed = KingfisherParsedOptionsInfo(manager.resolved(list + options))
        let shown = shown ?? self.shown
        let sink = ProgressiveUpdates.Sink(
            show: { image in shown.change { $0.append(image) } },
            clock: wallClock ?? clock.clock
        )
        let request = manager.request(.network(url), parsed, isStillWanted: isStillWanted)
        return Task.immediate { [manager] in
            try await withCheckedThrowingContinuation { continuation in
                let task = manager.start(request, events: LoadEvents(partial: sink)) {
                    continuation.resume(with: $0.map(\.image))
                }
                began(task)
            }
        }
    }

    private func begin() async throws -> FakeTransfer {
        await transport.started(1)
        let transfer = try transport.transfer(0)
        transfer.respond(length: parts.map(\.count).reduce(0, +))
        return transfer
    }

    private func shows(_ count: Int) async throws {
        try await until { shown.value.count >= count }
    }

    /// Lets others work until something is so; throws when the time limit has struck.
    private func until(_ isSo: () -> Bool) async throws {
        while !isSo() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// A scan is known to be complete when the header of the next one is there.
    private func send(scans: Range<Int>, by transfer: FakeTransfer) {
        for part in parts[scans] { transfer.send(part) }
        if scans.upperBound < parts.count { transfer.send(parts[scans.upperBound].prefix(16)) }
    }

    @Test func `PRG-3 PRG-7: scans are shown as they come, however the bytes are cut`()
        async throws
    {
        #expect(parts.count > 4)
        let load = load(ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0))
        let transfer = try await begin()
        transfer.send(parts[0] + parts[1])
        // The header of the second scan, in two pieces.
        transfer.send(parts[2].prefix(3))
        transfer.send(parts[2].dropFirst(3))
        transfer.send(parts[3])
        try await shows(1)
        let first = try #require(shown.value.first ?? nil)
        #expect(first.pixelWidth == 96)
        #expect(!manager.cache.isCached(forKey: url.cacheKey))
        for part in parts[4...] { transfer.send(part) }
        transfer.finish()
        let whole = try await load.value
        #expect(whole.pixelWidth == 96)
        // What is cached is the whole picture.
        let cached = manager.cache.retrieveImageInMemoryCache(forKey: url.cacheKey)
        #expect(cached === whole)
        #expect(shown.value.allSatisfy { $0 !== whole })
    }

    @Test func `PRG-3: the other mode shows each scan`() async throws {
        let load = load(ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0))
        let transfer = try await begin()
        for part in parts.dropLast() { transfer.send(part) }
        transfer.send(parts[parts.count - 1].prefix(16))
        // All scans but the last, which ends the picture.
        try await shows(parts.count - 2)
        transfer.send(Data(parts[parts.count - 1].dropFirst(16)))
        transfer.finish()
        _ = try await load.value
        #expect(shown.value.count == parts.count - 2)
    }

    @Test func `W-35 PRG-7: pieces without a whole scan do not hold up those that follow`()
        async throws
    {
        let progressive = ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0)
        let load = load(progressive)
        let transfer = try await begin()
        let file = parts.reduce(Data(), +)
        // Nearly no piece has the end of a scan, and each has its own update.
        let begun = file.count - parts[parts.count - 1].count + 16
        for start in stride(from: 0, to: begun, by: 50) {
            transfer.send(Data(file[start..<min(start + 50, begun)]))
            for _ in 0..<10 { await Task.yield() }
        }
        try await shows(parts.count - 2)
        transfer.send(Data(file[begun...]))
        transfer.finish()
        _ = try await load.value
        #expect(shown.value.count == parts.count - 2)
    }

    @Test(arguments: [1, 7, 500])
    func `W-34 PRG-7: the bytes are searched once, however they are cut`(size: Int) throws {
        let progressive = ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0)
        let decoding = ProgressiveDecoding(progressive, options: KingfisherParsedOptionsInfo(nil))
        let file = parts.reduce(Data(), +)
        var count = 0
        for start in stride(from: 0, to: file.count, by: size) {
            var piece = Data(file[start..<min(start + size, file.count)])
            while decoding.next(piece) != nil {
                count += 1
                piece = Data()
            }
        }
        // The last scan is part of the whole picture.
        #expect(count == parts.count - 2)
        #expect(decoding.isOver)
        // The header of a scan may wait for its end, and is found at once when it goes on.
        #expect(decoding.searchedBytes <= file.count + 2 * parts.count)
    }

    @Test func `PRG-2: updates are so far apart`() async throws {
        let load = load(ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 5))
        let transfer = try await begin()
        for part in parts.dropLast() { transfer.send(part) }
        try await shows(1)
        try await until { !clock.timerIntervals.isEmpty }
        #expect(shown.value.count == 1)
        clock.advance(by: 5)
        try await shows(2)
        #expect(shown.value.count == 2)
        // The end cuts the pause short, and the whole picture does not wait for it.
        transfer.send(parts[parts.count - 1])
        transfer.finish()
        _ = try await load.value
        #expect(shown.value.count == 2)
    }

    @Test func `PRG-4: early scans are blurred, and every one is processed`() async throws {
        let size = CGSize(width: 48, height: 48)
        let small: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: size) |> BlackWhiteProcessor())
        ]
        let sharp = Locked<[KFCrossPlatformImage?]>([])
        let loads = [
            load(ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0), small),
            load(
                ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0),
                small,
                into: sharp
            ),
        ]
        let transfer = try await begin()
        transfer.send(parts[0] + parts[1] + parts[2].prefix(16))
        try await shows(1)
        try await until { !sharp.value.isEmpty }
        let pictures = (
            try #require(shown.value.first??.bitmap), try #require(sharp.value.first??.bitmap)
        )
        #expect(pictures.0.size == pictures.1.size)
        #expect(pictures.0.width == 48)
        let difference = try #require(GoldenPicture.difference(pictures.0, pictures.1))
        #expect(difference.max > 8)
        let pixel = pictures.1[10, 10]
        #expect(pixel.red == pixel.green && pixel.green == pixel.blue)
        transfer.send(Data(parts[2].dropFirst(16)))
        for part in parts[3...] { transfer.send(part) }
        transfer.finish()
        for load in loads { _ = try await load.value }
    }

    @Test func `PRG-5 PRG-8: the hook decides what is shown, for each caller`() async throws {
        let other = KFCrossPlatformImage()
        let target = Target()
        let keeping = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        keeping.onImageUpdated.delegate(on: target) { target, _ in
            target.updates.change { $0 += 1 }
            return .keepCurrent
        }
        let replacing = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        replacing.onImageUpdated.delegate(on: target) { _, _ in .replace(other) }
        let kept = Locked<[KFCrossPlatformImage?]>([])
        let loads = [load(keeping, into: kept), load(replacing)]
        let transfer = try await begin()
        transfer.send(parts[0] + parts[1] + parts[2].prefix(16))
        try await shows(1)
        try await until { target.updates.value > 0 }
        #expect(try #require(shown.value.first) === other)
        transfer.send(Data(parts[2].dropFirst(16)))
        for part in parts[3...] { transfer.send(part) }
        transfer.finish()
        for load in loads { _ = try await load.value }
        #expect(kept.value.isEmpty)
    }

    @Test func `PRG-6: what is no longer wanted is not shown`() async throws {
        let load = load(
            ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0),
            isStillWanted: { false }
        )
        let transfer = try await begin()
        for part in parts { transfer.send(part) }
        transfer.finish()
        _ = try await load.value
        #expect(shown.value.isEmpty)
    }

    @Test func `PRG-6: nothing is shown of a load that is cancelled`() async throws {
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        let hooked = Target()
        progressive.onImageUpdated.delegate(on: hooked) { target, _ in
            target.updates.change { $0 += 1 }
            return .default
        }
        let (task, times, passed) = (Locked<DownloadTask?>(nil), Locked(0), Gate())
        let clock = WallClock(
            now: {
                times.change { $0 += 1 }
                // Read before an image is sent to the main queue, and after its turn there.
                if times.value == 1 { DispatchQueue.main.async { task.value?.cancel() } }
                if times.value == 2 { passed.open() }
                return 0
            },
            every: clock.clock.every
        )
        let load = load(progressive, by: clock, began: { new in task.change { $0 = new } })
        let transfer = try await begin()
        transfer.send(parts[0] + parts[1] + parts[2].prefix(16))
        await passed.wait()
        let error = await #expect(throws: KingfisherError.self) { _ = try await load.value }
        #expect(error?.isTaskCancelled == true)
        #expect(shown.value.isEmpty)
        #expect(hooked.updates.value == 0)
    }

    @Test func `PRG-6: a hook that cancels the load ends what is shown`() async throws {
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        let (task, hooked) = (Locked<DownloadTask?>(nil), Target())
        progressive.onImageUpdated.delegate(on: hooked) { target, _ in
            task.value?.cancel()
            target.updates.change { $0 += 1 }
            return .default
        }
        let load = load(progressive, began: { new in task.change { $0 = new } })
        let transfer = try await begin()
        transfer.send(parts[0] + parts[1] + parts[2].prefix(16))
        await #expect(throws: KingfisherError.self) { _ = try await load.value }
        await MainActor.run {}
        #expect(hooked.updates.value == 1)
        #expect(shown.value.isEmpty)
    }

    @Test func `PRG-1: without a view that shows it nothing is decoded early`() async throws {
        let target = Target()
        let progressive = ImageProgressive()
        progressive.onImageUpdated.delegate(on: target) { target, _ in
            target.updates.change { $0 += 1 }
            return .default
        }
        let load = Task.immediate { [manager, url] in
            try await manager.retrieveImage(with: url, options: [.progressiveJPEG(progressive)])
        }
        let transfer = try await begin()
        for part in parts { transfer.send(part) }
        transfer.finish()
        _ = try await load.value
        #expect(target.updates.value == 0)
    }

    @Test func `PRG-1: a baseline JPEG is shown when it is there`() async throws {
        let load = load(ImageProgressive())
        await transport.started(1)
        let file = TestImage.jpeg(width: 320, height: 240)
        try transport.transfer(0).respond(length: file.count)
        for start in stride(from: 0, to: file.count, by: 500) {
            try transport.transfer(0).send(file.dropFirst(start).prefix(500))
        }
        try transport.transfer(0).finish()
        #expect(try await load.value.pixelWidth == 320)
        #expect(shown.value.isEmpty)
    }

    private final class Target: Sendable {
        let updates = Locked(0)
    }
}
