import Testing

@testable import Kingfisher

struct TransferSettingsTests {
    @Test func `limits are as documented unless they are set`() {
        let settings = TransferSettings()
        #expect(settings.minimumSpeed == 256)
        #expect(settings.maxBodyBytes == 256 * 1_048_576)
        #expect(settings.maxBodyBytesInMemory == 8 * 1_048_576)
        #expect(settings.maxRedirects == 20)
    }

    @Test func `new metrics count nothing`() {
        let metrics = TransferMetrics()
        let counts = [
            metrics.bytes, metrics.resumedBytes, metrics.wireBytes, metrics.bytesSent,
            metrics.redirectCount,
        ]
        #expect(counts == [0, 0, 0, 0, 0])
        #expect(!metrics.connectionReused)
    }
}
