import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Cache folders with random damage to the log and the files.
///
/// An entry is as it was stored or a miss, nothing outside of the folder changes, and the folder can
/// be stored to afterwards. `FuzzSeeds` says how many folders are tried.
@Suite(.timeLimit(.minutes(10)))
struct DiskFolderFuzzTests {
    private static let names = (0..<6).map { String(repeating: "\($0)", count: 64) }

    @Test func `an entry of a damaged folder is whole or missing`() async throws {
        var (rounds, hits) = (0, 0)
        for seed in FuzzSeeds(usually: 150) {
            rounds += 1
            await Task.yield()
            let folder = try TemporaryDirectory()
            let outside = folder.file("outside")
            try Data("outside".utf8).write(to: outside)
            let cache = folder.file("cache")
            try fill(cache)
            var damage = FolderDamage(seed: seed, folder: cache)
            try damage.run()

            let store = DiskStore(directory: cache.path)
            for name in Self.names {
                // An error is a miss for the caller.
                guard let found = try? store.data(named: name) else { continue }
                #expect(found == Self.data(name), "seed \(seed), \(name.prefix(1))")
                hits += 1
            }
            try store.store(Data("new".utf8), named: "new", key: "new", expiration: .never)
            #expect(try store.data(named: "new") == Data("new".utf8), "seed \(seed)")
            #expect(store.totalSize >= 0, "seed \(seed)")
            #expect(try Data(contentsOf: outside) == Data("outside".utf8), "seed \(seed)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                    == ["cache", "outside"]
            )
        }
        // Damage that leaves nothing would show nothing.
        #expect(hits > rounds)
    }

    private static func data(_ name: String) -> Data {
        Data((0..<200).map { UInt8($0) ^ (name.utf8.first ?? 0) })
    }

    private func fill(_ cache: URL) throws {
        let store = DiskStore(directory: cache.path)
        for name in Self.names {
            try store.store(Self.data(name), named: name, key: "key \(name)", expiration: .never)
        }
        try store.store(Data("gone".utf8), named: "gone", key: "gone", expiration: .never)
        try store.remove("gone")
    }
}

/// One to four damages to a cache folder.
private struct FolderDamage {
    private var chance: SplitMix
    private let folder: URL
    private let files: FileManager = .default

    init(seed: UInt64, folder: URL) {
        chance = SplitMix(seed: seed)
        self.folder = folder
    }

    mutating func run() throws {
        for _ in 0...number(below: 4) {
            let all = try files.contentsOfDirectory(atPath: folder.path).sorted()
            guard !all.isEmpty else { return }
            let log = folder.appending(path: ".kingfisher.log")
            let victim = number(below: 2) == 0 ? log : any(all)
            guard let data = try? Data(contentsOf: victim) else { continue }
            switch number(below: 8) {
            case 0: try write(data.prefix(number(below: data.count + 1)), to: victim)
            case 1: try write(data + noise(), to: victim)
            case 2: try write(flipped(data), to: victim)
            case 3: try write(doubled(data), to: victim)
            case 4: try write(noise(), to: victim)
            case 5: try files.removeItem(at: victim)
            case 6: try exchange(victim, any(all))
            default: try write(climbing(data), to: victim)
            }
        }
    }

    private mutating func any(_ names: [String]) -> URL {
        folder.appending(path: names[number(below: names.count)])
    }

    private mutating func flipped(_ data: Data) -> Data {
        var data = Data(data)
        for _ in 0...number(below: 6) where !data.isEmpty {
            data[number(below: data.count)] ^= UInt8(1 << number(below: 8))
        }
        return data
    }

    /// Repeats a piece, so that records appear twice or in another order.
    private mutating func doubled(_ data: Data) -> Data {
        let start = number(below: data.count + 1)
        let end = start + number(below: data.count - start + 1)
        return data.prefix(end) + data.dropFirst(start)
    }

    /// Replaces names by ones that lead out of the folder.
    private mutating func climbing(_ data: Data) -> Data {
        let name = Data(String(repeating: "\(number(below: 6))", count: 64).utf8)
        var path = Data("../outside".utf8)
        path.append(Data(repeating: UInt8(ascii: "/"), count: 64 - path.count))
        guard let range = data.range(of: name) else { return data }
        return data.replacing(range, with: path)
    }

    private func exchange(_ a: URL, _ b: URL) throws {
        guard a != b, let (first, second) = try? (Data(contentsOf: a), Data(contentsOf: b)) else {
            return
        }
        try write(first, to: b)
        try write(second, to: a)
    }

    /// Renamed into place, as by another program that keeps no attributes.
    private func write(_ data: Data, to file: URL) throws {
        try data.write(to: file, options: .atomic)
    }

    private mutating func noise() -> Data {
        Data((0..<number(below: 300)).map { _ in UInt8(number(below: 256)) })
    }

    private mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<max(1, limit), using: &chance)
    }
}

extension Data {
    fileprivate func replacing(_ range: Range<Index>, with other: Data) -> Data {
        var copy = self
        copy.replaceSubrange(range, with: other)
        return copy
    }
}
