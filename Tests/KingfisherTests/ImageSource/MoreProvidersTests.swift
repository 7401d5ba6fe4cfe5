import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct MoreProvidersTests {
    @Test(arguments: [
        ("data:image/png;base64,AQID", Data([1, 2, 3])),
        ("DATA:;base64,AQ%49D", Data([1, 2, 3])),
        ("data:text/plain,a%20b%FF", Data([0x61, 0x20, 0x62, 0xFF])),
        ("data:,", Data()),
    ])
    func `a data URL gives its bytes`(text: String, bytes: Data) throws {
        #expect(try DataURLImageDataProvider.decode(text) == bytes)
    }

    @Test(arguments: ["http://a/b", "data:nothing", "data:,%G1", "data:;base64,€"])
    func `a wrong data URL is an error`(text: String) {
        #expect(throws: DataURLImageDataProvider.DataURLError.self) {
            try DataURLImageDataProvider.decode(text)
        }
    }

    @Test func `a data URL resource becomes a provider`() throws {
        let url = try #require(URL(string: "data:image/png;base64,AQID"))
        guard case .provider = url.convertToSource() else {
            Issue.record("a data URL is no download")
            return
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `PRV-3: a thumbnail is small, in the file's format, and has its key`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.jpg")
        try TestImage.jpeg(width: 200, height: 100).write(to: file)
        let provider = ThumbnailImageDataProvider(url: file, maxPixelSize: 50)
        // With the version of the file.
        #expect(provider.cacheKey.hasPrefix("\(file.absoluteString)_thumb_50.0_true#"))
        let data = try await (provider as any ImageDataProvider).data()
        #expect(data.kf.imageFormat == .JPEG)
        #expect(KFCrossPlatformImage(data: data)?.size == CGSize(width: 50, height: 25))
        let missing = ThumbnailImageDataProvider(url: folder.file("none"), maxPixelSize: 50)
        await #expect(throws: ThumbnailImageDataProvider.ThumbnailImageDataProviderError.self) {
            try await (missing as any ImageDataProvider).data()
        }
    }
}
