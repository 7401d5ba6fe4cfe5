import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ProcessingIdentityTests {
    // Without a free descriptor Foundation's UUIDs are all the same.
    @Test func `without free descriptors every job gets its own image`() async {
        await #expect(processExitsWith: .success) {
            let files = (1...16).map { TestImage.png(width: 40 * $0, height: 40) }
            let jobs = ProcessingJobs()
            _ = try await jobs.image(of: .data(files[0]), options: KingfisherParsedOptionsInfo(nil))
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
                    precondition(widths[index] == 40 * (index + 1), "another job's image")
                }
            }
        }
    }
}
