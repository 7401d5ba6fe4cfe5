import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Entries with the same bytes share one file.
struct DiskStoreEqualFilesTests {
    private let clock = ManualClock()
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private var path: String { folder.file("cache").path }

    private func open(
        _ files: any FileSystem = POSIXFileSystem(),
        _ options: DiskStore.Options = .init()
    ) -> DiskStore {
        DiskStore(directory: path, files: files, clock: clock.clock, options: options)
    }

    private func put(_ data: Data, _ names: String..., in store: DiskStore) throws {
        for name in names {
            try store.store(data, named: name, key: name, expiration: .days(1))
        }
    }

    private func inode(_ name: String) throws -> UInt64 {
        try POSIXFileSystem().status(of: "\(path)/\(name)").inode
    }

    private let data = Data("the same bytes under many names".utf8)

    @Test func `equal bytes under ten names take the room of one file`() throws {
        let store = open()
        let names = (0..<10).map { "n\($0)" }
        for name in names { try put(data, name, in: store) }
        #expect(Set(try names.map(inode)).count == 1)
        #expect(store.totalSize == data.count)
        #expect(store.statistics.stores == 10)
        #expect(store.statistics.shared == 9)
        #expect(store.entries.count == 10)
        for name in names { #expect(try store.data(named: name) == data) }
        let next = open()
        #expect(next.totalSize == data.count)
        for name in names { #expect(try next.data(named: name) == data) }
        #expect(next.verify(repairing: true) == [])
    }

    @Test func `removing or replacing one name keeps the others`() throws {
        let store = open()
        try put(data, "a", "b", "c", in: store)
        try store.remove("a")
        try put(Data("other bytes".utf8), "b", in: store)
        #expect(try store.data(named: "a") == nil)
        #expect(try store.data(named: "b") == Data("other bytes".utf8))
        #expect(try store.data(named: "c") == data)
        #expect(store.totalSize == data.count + 11)
        try store.remove("c")
        try store.remove("b")
        #expect(store.totalSize == 0)
        #expect(try bytesOfFiles(in: path) == 0)
    }

    @Test func `the same bytes under the same name keep the file and extend the expiration`()
        throws
    {
        let store = open()
        try put(data, "a", in: store)
        let before = try inode("a")
        clock.advance(by: 80_000)
        try put(data, "a", in: store)
        #expect(try inode("a") == before)
        #expect(store.totalSize == data.count)
        clock.advance(by: 80_000)
        #expect(try open().data(named: "a") == data)
    }

    @Test func `bytes of the same size and checksum that differ are not mistaken for each other`()
        throws
    {
        let store = open()
        let all = (1...40).map { Colliding.bytes($0) }
        #expect(Set(all.map(Checksum.of)).count == 1)
        #expect(Set(all).count == 40)
        // Fast enough for several to have the same modification time.
        for (number, bytes) in all.enumerated() { try put(bytes, "n\(number)", in: store) }
        for (number, bytes) in all.enumerated() {
            #expect(try store.data(named: "n\(number)") == bytes)
        }
        #expect(store.statistics.shared == 0)
        #expect(store.totalSize == 40 * 64)
        #expect(open().totalSize == 40 * 64)
    }

    @Test func `a damaged file gets no further names`() throws {
        let store = open()
        try put(data, "a", in: store)
        try Data(count: data.count).write(to: folder.file("cache/a"))
        try put(data, "b", in: store)
        #expect(try store.data(named: "b") == data)
        #expect(try store.data(named: "a") == nil)
        #expect(store.totalSize == data.count)
        #expect(store.verify(repairing: false) == [])
    }

    @Test func `a missing file gets no further names`() throws {
        let store = open()
        try put(data, "a", in: store)
        try FileManager.default.removeItem(at: folder.file("cache/a"))
        try put(data, "b", in: store)
        #expect(try store.data(named: "b") == data)
    }

    @Test func `damage to a shared file is found under each of its names`() throws {
        let store = open()
        try put(data, "a", "b", in: store)
        let file = try FileHandle(forWritingTo: folder.file("cache/a"))
        try file.write(contentsOf: Data("X".utf8))
        try file.close()
        #expect(store.verify(repairing: true) == ["a", "b"])
        #expect(store.totalSize == 0)
    }

    @Test func `several processes share files and count the same`() throws {
        let one = open()
        let two = open()
        try put(data, "a", in: one)
        try put(data, "b", in: two)
        #expect(try inode("a") == inode("b"))
        #expect(one.totalSize == data.count)
        #expect(two.totalSize == data.count)
        try two.remove("a")
        #expect(one.totalSize == data.count)
        #expect(try one.data(named: "b") == data)
    }

    @Test func `a file gets at most a thousand names`() throws {
        let store = open()
        for number in 0...1_000 { try put(data, "n\(number)", in: store) }
        #expect(store.statistics.shared == 999)
        #expect(try bytesOfFiles(in: path) == 2 * data.count)
        #expect(try store.data(named: "n1000") == data)
    }

    @Test func `encrypted entries and a switched off store share nothing`() throws {
        let key = Data((0..<32).map { UInt8($0) })
        let sealed = open(
            POSIXFileSystem(),
            .init(transformer: AESGCMTransformer(key: key))
        )
        try put(data, "a", "b", in: sealed)
        #expect(try inode("a") != inode("b"))
        try sealed.removeAll()
        let plain = open()
        plain.sharesFiles = false
        try put(data, "c", "d", in: plain)
        #expect(try inode("c") != inode("d"))
        #expect(plain.totalSize == 2 * data.count)
        #expect(open().totalSize == 2 * data.count)
    }

    @Test func `the option of the settings reaches the store`() throws {
        var config = DiskStorage.Config(name: "x", sizeLimit: 0, directory: folder.url)
        let storage = try DiskStorage.Backend<Data>(config: config)
        #expect(storage.store.sharesFiles)
        config.sharesFiles = false
        storage.config = config
        #expect(!storage.store.sharesFiles)
    }

    @Test func `trimming frees a shared file with its last name`() throws {
        let store = open()
        try put(data, "a", "b", in: store)
        try put(Data(repeating: 1, count: 2 * data.count), "c", in: store)
        try put(data, "d", in: store)
        store.sizeLimit = 3 * data.count
        // Half of the limit is reached only without the shared file and "c".
        #expect(store.trim().removed == ["a", "b", "c"])
        #expect(store.totalSize == data.count)
        #expect(try store.data(named: "d") == data)
    }

    @Test func `a copy of the folder without links is counted in full`() throws {
        try put(data, "a", "b", "c", in: open())
        let copy = folder.file("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in ["a", "b", "c", ".kingfisher.log"] {
            try Data(contentsOf: folder.file("cache/\(name)"))
                .write(to: copy.appendingPathComponent(name))
        }
        let store = DiskStore(directory: copy.path, clock: clock.clock)
        #expect(store.totalSize == 3 * data.count)
        #expect(try store.data(named: "b") == data)
        try store.remove("a")
        #expect(store.totalSize == 2 * data.count)
    }

    @Test(arguments: [2, 3], [false, true])
    func `without its log a shared file keeps all its names`(count: Int, losesFirst: Bool) throws {
        var store: DiskStore? = open()
        // Names of hashed keys: others are never removed.
        let names = (1...count).map { String(repeating: "\($0)", count: 64) }
        for name in names { try put(data, name, in: try #require(store)) }
        // The file was written for the first.
        let lost = losesFirst ? count - 1 : 0
        for name in names.prefix(lost) { try store?.remove(name) }
        store = nil
        try FileManager.default.removeItem(at: folder.file("cache/.kingfisher.log"))
        let next = open()
        for name in names.dropFirst(lost) { #expect(try next.data(named: name) == data) }
        #expect(next.totalSize == data.count)
        #expect(next.statistics.damaged == 0)
    }

    @Test func `entries whose keys divide differently share no file`() throws {
        let store = open()
        for (name, offset) in [("a", 3), ("b", 5)] as [(String, UInt32)] {
            try store.store(
                data,
                named: name,
                key: "x@y@z",
                division: KeyDivision(offset: offset),
                expiration: .days(1)
            )
        }
        #expect(try inode("a") != inode("b"))
    }

    @Test(arguments: FaultyFileSystem.Death.allCases, [false, true])
    func `a process may die at any step of sharing`(
        death: FaultyFileSystem.Death,
        replaces: Bool
    ) throws {
        for steps in 0..<8 {
            let files = FaultyFileSystem()
            let dying = open(files)
            try dying.removeAll()
            try put(data, "a", in: dying)
            if replaces { try put(Data("old".utf8), "b", in: dying) }
            files.die(afterSteps: steps, death)
            let isStored = (try? put(data, "b", in: dying)) != nil
            let next = open()
            #expect(try next.data(named: "a") == data)
            let found = try next.data(named: "b")
            let old = replaces ? Data("old".utf8) : nil
            #expect(found == data || !isStored && found == old, "\(steps) steps")
            #expect(try next.totalSize == bytesOfFiles(in: path), "\(steps) steps")
            try put(data, "c", in: next)
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(!names.contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test(arguments: [Errno.tooManyLinks, .permissionDenied, .notSupported])
    func `a file that gets no further name is written again`(errno: Errno) throws {
        let files = FaultyFileSystem()
        let store = open(files)
        try put(data, "a", in: store)
        // The second link is that of the new file.
        let links = Locked(0)
        files.fail { operation, _ in
            guard operation == .link else { return nil }
            links.change { $0 += 1 }
            return links.value == 1 ? errno : nil
        }
        try put(data, "b", in: store)
        #expect(try inode("a") != inode("b"))
        #expect(try store.data(named: "b") == data)
        #expect(store.totalSize == 2 * data.count)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the size is that of the files after any operations of two processes`(
        seed: UInt64
    )
        throws
    {
        var random = SplitMix(seed: seed)
        var expected: [String: Data] = [:]
        var stores = [open(), open()]
        for _ in 0..<800 {
            let side = Int.random(in: 0..<2, using: &random)
            let name = "n\(Int.random(in: 0..<20, using: &random))"
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                let kind = Int.random(in: 1...5, using: &random)
                let data = Data(repeating: UInt8(kind), count: kind * 10)
                try put(data, name, in: stores[side])
                expected[name] = data
            case 50..<70:
                #expect(try stores[side].data(named: name) == expected[name])
            case 70..<90:
                try? stores[side].remove(name)
                expected[name] = nil
            case 90..<95:
                stores[side].log.flush()
                stores[side] = open()
            default:
                stores[side].sizeLimit = 100
                for name in stores[side].trim().removed { expected[name] = nil }
                stores[side].sizeLimit = 0
            }
            let size = try bytesOfFiles(in: path)
            #expect(stores.map(\.totalSize) == [size, size])
        }
        for (name, data) in expected { #expect(try stores[0].data(named: name) == data) }
    }
}

/// The bytes of the entries' files, each counted once.
func bytesOfFiles(in path: String) throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    var sizes: [UInt64: Int] = [:]
    for name in names where !name.hasPrefix(".") {
        let status = try POSIXFileSystem().status(of: "\(path)/\(name)")
        sizes[status.inode] = status.size
    }
    return sizes.values.reduce(0, +)
}

/// Different bytes with the same XXH64.
private enum Colliding {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    // 64 bytes; the second word of the first lane undoes the difference that the first one makes.
    static func bytes(_ number: Int) -> Data {
        var words = [UInt64](repeating: 0, count: 8)
        words[0] = UInt64(number)
        words[4] = (lane(0) &- lane(words[0])) &* inverse(prime2)
        return words.withUnsafeBytes { Data($0) }
    }

    /// The first lane after one word.
    private static func lane(_ word: UInt64) -> UInt64 {
        let sum = prime1 &+ prime2 &+ word &* prime2
        return (sum << 31 | sum >> 33) &* prime1
    }

    /// Newton's method doubles the correct bits of the inverse modulo 2^64 in each step.
    private static func inverse(_ odd: UInt64) -> UInt64 {
        (0..<6).reduce(odd) { found, _ in found &* (2 &- odd &* found) }
    }
}
