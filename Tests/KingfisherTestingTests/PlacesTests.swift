import Foundation
import Testing

/// How many tests run at once.
struct PlacesTests {
    /// With more, those that compute for long hold the threads that others need before their time
    /// limits end.
    @Test func `the number of tests that run at once is set without the caller`() throws {
        let name = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
        let places = try #require(ProcessInfo.processInfo.environment[name])
        #expect(Int(places) ?? 0 > 0)
    }
}
