import Dispatch
import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

extension WaitingExperiment {
    /// The memory that stays after two million loads from the disk or a provider, a third of them
    /// cancelled.
    static func growth(in directory: URL) throws -> [String] {
        let cache = try ImageCache(name: "growth", cacheDirectoryURL: directory)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "growth"), cache: cache)
        let image = try png()
        var resident: [Int] = []
        for round in 0..<20 {
            for batch in 0..<100 {
                cache.clearMemoryCache()
                // There are five batches of keys, so a quarter of all batches is stored again.
                if batch % 20 == round { cache.clearDiskCache() }
                load(1000, of: image, batch, by: manager)
            }
            trim()
            resident.append(ProcessMemory.resident)
        }
        let grown = Double(resident[19] - resident[9]) / 1000
        let steps = [0, 4, 9, 14, 19].map {
            String(format: "%.1f million %.1f MB", Double($0 + 1) / 10, Double(resident[$0]) / 1000)
        }
        return [
            "2000000 loads: " + steps.joined(separator: ", "),
            "  " + Verdict("MB grown in the second million", grown, atMost: 2).line,
        ]
    }

    /// Returns free memory to the system, where the C library can.
    private static func trim() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    private static func png() throws -> Data {
        let pixels = Data(repeating: 255, count: 8 * 8 * 4)
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: 8, height: 8)
        guard let data = image?.kf.pngRepresentation() else {
            throw BenchmarkError("the image could not be encoded")
        }
        return data
    }

    private static func load(
        _ count: Int,
        of image: Data,
        _ batch: Int,
        by manager: KingfisherManager
    ) {
        let ended = DispatchGroup()
        for number in 0..<count {
            let key = "\(batch % 5) \(number)"
            ended.enter()
            let task = manager.retrieveImage(
                with: .provider(RawImageDataProvider(data: image, cacheKey: key)),
                options: [.callbackQueue(.untouch)]
            ) { _ in ended.leave() }
            if number % 3 == 0 { task?.cancel() }
        }
        ended.wait()
    }
}
