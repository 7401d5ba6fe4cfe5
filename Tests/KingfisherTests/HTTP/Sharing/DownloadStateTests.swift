import Testing

@testable import Kingfisher

struct DownloadStateTests {
    @Test func `a request is sent once the download has been started, and not after its end`() {
        var state = DownloadState(maxBodyBytesInMemory: 1)
        let isSentBefore = state.send()
        #expect(!isSentBefore)
        state.start()
        let isSent = state.send()
        #expect(isSent)
    }

    @Test func `a body without further bytes is no progress`() {
        let state = ResumptionState()
        #expect(!state.hasProgress(0))
        #expect(state.hasProgress(1))
    }
}
