import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

/// A child process works in a folder and writes down what was reported to it, until it is killed.
///
/// `KINGFISHER_KILLS=500` in the environment kills it so often.
@Suite(.timeLimit(.minutes(10)))
struct DiskStoreKillTests {
    private static var rounds: UInt64 {
        ProcessInfo.processInfo.environment["KINGFISHER_KILLS"].flatMap(UInt64.init) ?? 2
    }

    @Test func `whenever a process is killed, what it reported is there and nothing is wrong`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let path = folder.url.path
        // Not left to the child, which may be killed before it gets there.
        try Data().write(to: folder.file("journal"))
        // Swift 6.2 cannot hand values to the child by capture; the environment is inherited.
        setenv(KillHarness.folderVariable, path, 1)
        defer {
            unsetenv(KillHarness.folderVariable)
            unsetenv(KillHarness.seedVariable)
        }
        for seed in 1...Self.rounds {
            setenv(KillHarness.seedVariable, "\(seed)", 1)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let environment = ProcessInfo.processInfo.environment
                guard let path = environment[KillHarness.folderVariable],
                    let seed = environment[KillHarness.seedVariable].flatMap(UInt64.init)
                else { return }
                KillHarness.work(in: path, seed: seed)
            }
            try KillHarness.check(path)
        }
    }
}

private enum KillHarness {
    static let folderVariable = "KINGFISHER_KILL_FOLDER"
    static let seedVariable = "KINGFISHER_KILL_SEED"

    static func cache(_ path: String) -> String { path + "/cache" }
    static func journal(_ path: String) -> String { path + "/journal" }

    /// A third of the bytes is the same under many names, which then share files.
    static func content(_ name: String, _ step: String) -> Data {
        let sum = Checksum.of(Data("\(name) \(step)".utf8))
        let text = sum % 3 == 0 ? "shared \(sum % 5)" : "\(name) \(step)"
        var random = SplitMix(seed: Checksum.of(Data(text.utf8)))
        let count = Int.random(in: 0..<6_000, using: &random)
        return Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) + Data(text.utf8)
    }

    /// Changes the cache and writes `b name step` before and `a` after each change.
    static func work(in path: String, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let delay = Int.random(in: 1_000..<60_000, using: &random)
        // The point of death is to be anywhere, between two steps of the kernel too.
        Thread.detachNewThread {
            usleep(UInt32(delay))
            kill(getpid(), SIGKILL)
        }
        let journal = open(journal(path), O_WRONLY | O_APPEND | O_CREAT, 0o600)
        let note = { (line: String) in
            _ = line.withCString { write(journal, $0, strlen($0)) }
        }
        let store = DiskStore(directory: cache(path))
        var step = 0
        while true {
            step += 1
            let name = "n\(Int.random(in: 0..<30, using: &random))"
            let isRemoval = Int.random(in: 0..<4, using: &random) == 0
            let version = isRemoval ? "-" : "\(seed).\(step)"
            note("b \(name) \(version)\n")
            do throws(DiskError) {
                if isRemoval {
                    try store.remove(name)
                } else {
                    let data = content(name, version)
                    try store.store(data, named: name, key: name, expiration: .never)
                }
            } catch .notFound {
            } catch {
                note("failed \(error)\n")
                exit(3)
            }
            note("a\n")
        }
    }

    static func check(_ path: String) throws {
        let lines = try String(contentsOfFile: journal(path), encoding: .utf8)
            .split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("failed") })
        var versions: [String: String] = [:]
        // Without an answer: either way is right.
        var open: (name: String, version: String)?
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "b", words.count == 3 {
                if let open { settle(open, in: &versions) }
                open = (words[1], words[2])
            } else if words == ["a"], let done = open {
                versions[done.name] = done.version
                open = nil
            }
        }
        try compare(path, versions, open)
    }

    /// A death left this open; what it came to was checked then, and is what counts from there on.
    private static func settle(
        _ open: (name: String, version: String),
        in versions: inout [String: String]
    ) {
        versions[open.name, default: "-"] += "|" + open.version
    }

    private static func compare(
        _ path: String,
        _ versions: [String: String],
        _ open: (name: String, version: String)?
    ) throws {
        let store = DiskStore(directory: cache(path))
        try store.prepare()
        for number in 0..<30 {
            let name = "n\(number)"
            var allowed = (versions[name] ?? "-").split(separator: "|").map(String.init)
            if let open, open.name == name { allowed.append(open.version) }
            let found = try store.data(named: name)
            let isRight = allowed.contains { version in
                found == (version == "-" ? nil : content(name, version))
            }
            #expect(isRight, "\(name): \(found?.count ?? -1) bytes")
        }
        #expect(store.statistics.damaged == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: cache(path))
        #expect(!files.contains { $0.hasSuffix(".tmp") })
        #expect(files.filter { !$0.hasPrefix(".") }.count == store.entries.count)
        #expect(try store.totalSize == bytesOfFiles(in: cache(path)))
    }
}
