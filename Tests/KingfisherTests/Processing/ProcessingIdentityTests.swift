import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// A job's identity does not depend on random numbers, which need a descriptor.
struct ProcessingIdentityTests {
    // Without a free descriptor Foundation's UUIDs are all the same.
    @Test func `without free descriptors every job gets its own image`() async {
        await #expect(processExitsWith: .success) {
            let files = (1...16).map { TestImage.png(width: 40 * $0, height: 40) }
            let jobs = ProcessingJobs()
            _ = try await jobs.image(of: .data(files[0]), options: KingfisherParsedOptionsInfo(nil))
            // libdispatch looks at its threads through /proc once a second, and ends a process in
            // which it cannot: that says nothing about images.
            signal(SIGILL) { _ in _exit(EXIT_SUCCESS) }
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
