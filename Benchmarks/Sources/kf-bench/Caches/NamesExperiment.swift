import Chance
import Foundation
import Glibc
import Kingfisher
import Synchronization

/// 1,000 avatars under ten names each, as signed URLs, mirrors and shards have them.
///
/// Compared with plain files, and with a store that names each file by the SHA-256 of its bytes and
/// links the names to it, as content-addressed stores do.
enum NamesExperiment {
    static let experiment = Experiment(
        name: "names",
        title: "1,000 avatars under ten names each: disk, decodes, stores that share nothing"
    ) { folder in
        let file = try Data(contentsOf: folder.appendingPathComponent("small.jpg"))
        return try PlainFiles.withFolder(in: folder) { parent in
            try disk(in: parent) + decodes(in: parent, file) + stores(in: parent)
        }
    }

    private static let (avatars, names) = (1_000, 10)

    private static func avatar(_ number: Int) -> Data {
        var random = Random(seed: UInt64(number) + 1)
        // 4 to 20 KB.
        let count = 4_000 + Int(random.next() % 16_000)
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    private static func url(_ avatar: Int, _ name: Int) -> String {
        "https://cdn-\(name).example.com/avatars/\(avatar).jpg?signature=\(name * 7919)"
    }

    private static func storage(
        _ name: String,
        in folder: URL,
        shares: Bool
    ) throws -> DiskStorage.Backend<Data> {
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: folder)
        config.sharesFiles = shares
        return try DiskStorage.Backend<Data>(config: config)
    }

    // MARK: Disk

    private static func disk(in folder: URL) throws -> [String] {
        let once = try storage("once", in: folder, shares: false)
        let plain = try storage("plain", in: folder, shares: false)
        let shared = try storage("shared", in: folder, shares: true)
        let addressed = try ContentAddressed(in: folder.appendingPathComponent("addressed"))
        var (plainTime, sharedTime, addressedTime) = (0.0, 0.0, 0.0)
        for avatar in 0..<avatars {
            let data = Self.avatar(avatar)
            try once.store(value: data, forKey: url(avatar, 0))
            var watch = Stopwatch()
            for name in 0..<names { try plain.store(value: data, forKey: url(avatar, name)) }
            plainTime += watch.cpu
            watch = Stopwatch()
            for name in 0..<names { try shared.store(value: data, forKey: url(avatar, name)) }
            sharedTime += watch.cpu
            watch = Stopwatch()
            for name in 0..<names { try addressed.store(data, for: "\(avatar)-\(name)") }
            addressedTime += watch.cpu
        }
        let folders = [
            once.directoryURL, plain.directoryURL, shared.directoryURL, addressed.folder,
        ]
        let all = try folders.map { try blocks($0, hidden: true) }
        let visible = try folders.map { try blocks($0, hidden: false) }
        let count = Double(avatars * names)
        let lines = zip(["once", "one file each", "shared", "SHA-256, POSIX"], all).map {
            $0.padding(toLength: 16, withPad: " ", startingAt: 0)
                + String(format: "%8.1f MB on disk", Double($1) / 1e6)
        }
        return lines + [
            String(
                format: "CPU per store: one file each %.1f µs, shared %.1f, SHA-256, POSIX %.1f",
                plainTime / count * 1e6,
                sharedTime / count * 1e6,
                addressedTime / count * 1e6
            ),
            String(
                format: "without the index: one file each %.3f of once, shared %.3f",
                Double(visible[1]) / Double(visible[0]),
                Double(visible[2]) / Double(visible[0])
            ),
            Verdict("disk / once", Double(all[2]) / Double(all[0]), atMost: 1.1).line,
            Verdict("CPU per store / one file each", sharedTime / plainTime, atMost: 1).line,
            Verdict("CPU per store / SHA-256, POSIX", sharedTime / addressedTime, atMost: 1.2).line,
        ]
    }

    /// The bytes that the files of a folder take, each file counted once.
    private static func blocks(_ folder: URL, hidden: Bool) throws -> Int {
        var blocks: [UInt64: Int] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in paths where hidden || !path.hasPrefix(".") {
            var found = stat()
            guard lstat(folder.path + "/" + path, &found) == 0, found.st_mode & S_IFMT == S_IFREG
            else { continue }
            blocks[UInt64(found.st_ino)] = Int(found.st_blocks) * 512
        }
        return blocks.values.reduce(0, +)
    }

    // MARK: Decodes

    /// Loads every name from disk, and counts the images and the CPU time.
    private static func decodes(in folder: URL, _ file: Data) throws -> [String] {
        let cache = try ImageCache(name: "decodes", cacheDirectoryURL: folder)
        let urls = (0..<avatars / 10).flatMap { avatar in
            (0..<names).compactMap { URL(string: url(avatar, $0)) }
        }
        try Blocking.run {
            for (number, url) in urls.enumerated() {
                // A comment at the end makes each avatar's bytes different.
                let data = file + Data("\(number / names)".utf8)
                try await cache.storeToDisk(data, forKey: url.absoluteString)
            }
        }
        var (times, counts) = ([Double](), [Int]())
        for shares in [false, true] {
            var (best, count) = (Double.infinity, 0)
            for _ in 0..<5 {
                cache.clearMemoryCache()
                let downloader = ImageDownloader(name: "decodes")
                downloader.sharesEqualImages = shares
                let manager = KingfisherManager(downloader: downloader, cache: cache)
                let watch = Stopwatch()
                count = try Blocking.run { try await load(urls, by: manager) }
                best = min(best, watch.cpu)
            }
            times.append(best)
            counts.append(count)
        }
        let distinct = Double(urls.count / names)
        return [
            String(
                format: "%d loads: %d images in %.0f ms, shared %d in %.0f ms, CPU",
                urls.count,
                counts[0],
                times[0] * 1e3,
                counts[1],
                times[1] * 1e3
            ),
            Verdict("images / avatars", Double(counts[1]) / distinct, atMost: 1).line,
            Verdict("CPU of loads / not shared", times[1] / times[0], atMost: 0.5).line,
        ]
    }

    /// Loads images one after the other, and returns how many were made.
    private static func load(_ urls: [URL], by manager: KingfisherManager) async throws -> Int {
        var images: [KFCrossPlatformImage] = []
        for url in urls {
            let result = try await manager.retrieveImage(with: url, options: [.onlyFromCache])
            images.append(result.image)
        }
        return Set(images.map(ObjectIdentifier.init)).count
    }

    // MARK: Nothing shared

    private static func stores(in folder: URL) throws -> [String] {
        let off = try storage("off", in: folder, shares: false)
        let on = try storage("on", in: folder, shares: true)
        var random = Random(seed: 7)
        let base = Data((0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let contents = Contents(base)
        let lane = { (name: String, storage: DiskStorage.Backend<Data>) in
            let next = Atomic(0)
            return Lanes.Lane(name: name) { _, count in
                for _ in 0..<count {
                    let number = next.add(1, ordering: .relaxed).newValue
                    do {
                        try storage.store(
                            value: contents.next(),
                            forKey: "https://example.com/\(number)"
                        )
                    } catch {
                        fatalError("\(name): \(error)")
                    }
                }
            }
        }
        let results = Lanes.run([lane("off", off), lane("on", on)], rounds: 15, operations: 500)
        return [
            String(
                format: "new entry of 20 KB, nothing shared: off %.1f µs, on %.1f µs CPU",
                results[0].cpu / 1000,
                results[1].cpu / 1000
            ),
            Verdict("nothing shared, on / off", results[1].cpu / results[0].cpu, atMost: 1.05).line,
        ]
    }
}

/// A store that names each file by the SHA-256 of its bytes, and links the names to it.
private final class ContentAddressed {
    private typealias Digest =
        @convention(c) (UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?) ->
        UnsafeMutablePointer<UInt8>?

    let folder: URL
    /// libcrypto's, which the library has loaded.
    private let sha256: Digest

    init(in folder: URL) throws {
        self.folder = folder
        guard let sha256 = dlsym(nil, "SHA256") else { throw BenchmarkError("no SHA-256") }
        self.sha256 = unsafeBitCast(sha256, to: Digest.self)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("content"),
            withIntermediateDirectories: true
        )
    }

    func store(_ data: Data, for name: String) throws {
        let content = folder.path + "/content/" + digest(of: data)
        if access(content, F_OK) != 0 { try PlainFiles.POSIX.store(data, at: content) }
        let path = folder.path + "/" + name
        if link(content, path) != 0, errno != EEXIST {
            throw BenchmarkError("\(path) cannot be linked: \(errno)")
        }
    }

    private func digest(of data: Data) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        data.withUnsafeBytes { _ = sha256($0.baseAddress, $0.count, &digest) }
        return digest.map { String(format: "%02x", $0) }.joined()
    }
}
