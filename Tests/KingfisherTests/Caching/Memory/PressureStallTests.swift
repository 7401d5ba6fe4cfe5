import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

struct PressureStallTests {
    @Test(
        arguments: [
            (nil, ["/proc/pressure/memory"]),
            ("4:memory:/docker/abc\n", ["/proc/pressure/memory"]),
            ("0::/\n", ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]),
            (
                "1:name=systemd:/x\n0::/user.slice/app\n",
                [
                    "/sys/fs/cgroup/user.slice/app/memory.pressure",
                    "/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory",
                ]
            ),
        ] as [(String?, [String])]
    )
    func `the reports of the own group come before those of the machine`(
        cgroup: String?,
        paths: [String]
    ) {
        #expect(PressureStall.paths(cgroup: cgroup) == paths)
    }

    @Test func `without reports a watch is silent, and ends`() {
        let stall = PressureStall(paths: { ["/nonexistent/memory.pressure"] })
        let isOver = Locked(false)
        do {
            let canary = Canary(isOver: isOver)
            let watch = stall.add { canary.sing() }
            #expect(!isOver.value)
            withExtendedLifetime(watch) {}
        }
        #expect(isOver.value)
    }

    @Test func `a file that takes no trigger is given up`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("memory.pressure")
        try Data("some avg10=0.00".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o444],
            ofItemAtPath: file.path
        )
        let watch = PressureStall(paths: { [file.path, folder.url.path] }).add {}
        withExtendedLifetime(watch) {}
    }

    @Test func `the first file that takes a trigger is the one`() throws {
        let folder = try TemporaryDirectory()
        let files = ["first", "second"].map { folder.file($0) }
        for file in files { try Data().write(to: file) }
        let paths = [folder.file("missing").path, folder.url.path] + files.map(\.path)
        let found = try #require(PressureStall.openTrigger(in: paths))
        #expect(try Data(contentsOf: files[0]) == Data("some 150000 1000000\0".utf8))
        #expect(try Data(contentsOf: files[1]).isEmpty)
        withExtendedLifetime(found) {}
        #expect(PressureStall.openTrigger(in: Array(paths.prefix(2))) == nil)
    }

    @Test func `caches of one process can be watched at once`() {
        let watches = (0..<3).map { _ in MemoryPressureSource.system.watch {} }
        #expect(watches.count == 3)
    }

    /// Sources of reports that end one after the other, as those of groups do that are removed.
    private final class Groups: Sendable {
        private let reports: Mutex<[Int]>
        let ends: AsyncStream<Void>
        private let end: AsyncStream<Void>.Continuation

        /// - Parameter reports: How many reports each source has.
        init(reports: [Int]) {
            self.reports = Mutex(reports)
            (ends, end) = AsyncStream.makeStream()
        }

        func open() -> PressureStall.Reports? {
            guard let count = reports.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                end.yield()
                return nil
            }
            let left = Locked(count)
            return {
                left.change { $0 -= 1 }
                return left.value >= 0
            }
        }

        func add(reports count: Int) { reports.withLock { $0.append(count) } }
    }

    @Test(.timeLimit(.minutes(1)))
    func `when a control group goes away the next source is waited for`() async {
        let groups = Groups(reports: [2, 0, 3])
        let stall = PressureStall(reports: groups.open)
        let told = Locked(0)
        let watch = stall.add { told.change { $0 += 1 } }
        for await _ in groups.ends { break }
        #expect(told.value == 5)
        withExtendedLifetime(watch) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `sources are looked for again when another caller wants reports`() async {
        let groups = Groups(reports: [])
        let stall = PressureStall(reports: groups.open)
        let told = Locked(0)
        var watches = [stall.add { told.change { $0 += 1 } }]
        for await _ in groups.ends { break }
        groups.add(reports: 1)
        // The thread may still be giving up.
        while told.value == 0 {
            watches.append(stall.add { told.change { $0 += 1 } })
            await Task.yield()
        }
        #expect(watches.count > 1)
        withExtendedLifetime(watches) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `sources that end at once are given up`() async {
        let groups = Groups(reports: [0, 0, 0, 0, 1])
        let stall = PressureStall(reports: groups.open)
        let told = Locked(0)
        // Given up after three; each new wish takes up where the last one stopped.
        var watches: [MemoryPressureWatch] = []
        while told.value == 0 {
            watches.append(stall.add { told.change { $0 += 1 } })
            await Task.yield()
        }
        #expect(watches.count > 1)
        withExtendedLifetime(watches) {}
    }

    private final class Canary: Sendable {
        private let isOver: Locked<Bool>

        init(isOver: Locked<Bool>) { self.isOver = isOver }

        func sing() {}

        deinit { isOver.change { $0 = true } }
    }
}
