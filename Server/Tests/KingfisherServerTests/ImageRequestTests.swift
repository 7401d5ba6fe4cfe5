import Testing

@testable import KingfisherServer

struct ImageRequestTests {
    @Test("Options that name nothing change nothing")
    func nothing() {
        #expect(ProcessingOptions().contrast == 1)
    }
}
