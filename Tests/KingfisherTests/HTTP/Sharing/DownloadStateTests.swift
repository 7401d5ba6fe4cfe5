import Testing

@testable import Kingfisher

struct DownloadStateTests {
    @Test func `a request is sent once the download has been started, and not after its end`() {
        var state = DownloadState(maxBodyBytesInMemory: 1)
        let before = state.send()
        #expect(before == nil)
        state.start()
        let numbers = [state.send(), state.send()]
        #expect(numbers == [1, 2])
    }

    @Test func `a body without further bytes is no progress`() {
        let state = ResumptionState()
        #expect(!state.hasProgress(0))
        #expect(state.hasProgress(1))
    }
}
