import Foundation
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
        let stall = PressureStall(paths: ["/nonexistent/memory.pressure"])
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
        let watch = PressureStall(paths: [file.path, folder.url.path]).add {}
        withExtendedLifetime(watch) {}
    }

    @Test func `caches of one process can be watched at once`() {
        let watches = (0..<3).map { _ in MemoryPressureSource.system.watch {} }
        #expect(watches.count == 3)
    }

    private final class Canary: Sendable {
        private let isOver: Locked<Bool>

        init(isOver: Locked<Bool>) { self.isOver = isOver }

        func sing() {}

        deinit { isOver.change { $0 = true } }
    }
}
