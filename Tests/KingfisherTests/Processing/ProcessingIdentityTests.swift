import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// A job's identity does not depend on random numbers, which need a descriptor.
struct ProcessingIdentityTests {
    // Without a free descriptor, all of Foundation's UUIDs are equal.
    @Test func `without free descriptors every job gets its own image`() async {
        await #expect(processExitsWith: .success) {
            let files = (1...16).map { TestImage.png(width: 40 * $0, height: 40) }
            let jobs = ImageMaker()
            _ = try await jobs.image(of: .data(files[0]), options: KingfisherParsedOptionsInfo(nil))
            try DispatchTrap.excuse()
            while open("/dev/null", O_RDONLY) >= 0 {}
            for _ in 0..<20 {
                let widths = try await withThrowingTaskGroup { group in
                    for (index, file) in files.enumerated() {
                        group.addTask {
                            let options = KingfisherParsedOptionsInfo(nil)
                            return (
                                index,
                                try await jobs.image(of: .data(file), options: options).pixelWidth
                            )
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                for index in files.indices {
                    if widths[index] != 40 * (index + 1) { _exit(EXIT_FAILURE) }
                }
            }
        }
    }
}

/// A trap of libdispatch, which ends a process without free descriptors while its threads are busy:
/// it needs a descriptor for its timers, and one each second to examine its threads.
///
/// It is unrelated to images, so it counts as success. Any other trap is a failure.
private enum DispatchTrap {
    private static let start = Atomic<UInt>(0)
    private static let end = Atomic<UInt>(0)

    /// Must be called while a descriptor is free.
    static func excuse() throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let bounds = maps.split(separator: "\n").filter { $0.contains("libdispatch.so") }
            .flatMap { $0.prefix { $0 != " " }.split(separator: "-") }
            .compactMap { UInt($0, radix: 16) }
        start.store(bounds.min() ?? 0, ordering: .relaxed)
        end.store(bounds.max() ?? 0, ordering: .relaxed)
        var action = sigaction()
        action.sa_flags = SA_SIGINFO
        action.__sigaction_handler.sa_sigaction = { _, info, _ in
            let address = UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
            let isDispatch =
                DispatchTrap.start.load(ordering: .relaxed) <= address
                && address < DispatchTrap.end.load(ordering: .relaxed)
            _exit(isDispatch ? EXIT_SUCCESS : EXIT_FAILURE)
        }
        sigaction(SIGILL, &action, nil)
    }
}
