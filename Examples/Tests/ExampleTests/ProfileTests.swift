// How to test code that loads images, without a network and without races.
import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// The code under test: a view that shows a person's portrait.
@MainActor
final class Profile {
    let portrait = KFCrossPlatformImageView(frame: .zero)
    private(set) var message = ""

    func show(_ url: URL, options: KingfisherOptionsInfo = []) {
        message = "loading"
        portrait.kf.setImage(with: url, options: options) { result in
            switch result {
            case .success: self.message = ""
            case .failure: self.message = "no portrait"
            }
        }
    }
}

@MainActor
struct ProfileTests {
    let bench: ImageTestBench
    let url: URL
    let profile = Profile()

    init() throws {
        bench = try ImageTestBench()
        url = try #require(URL(string: "https://example.test/anna.png"))
    }

    private var options: KingfisherOptionsInfo {
        [.downloader(bench.downloader), .targetCache(bench.cache)]
    }

    @Test func `the portrait is shown`() async {
        bench.transport.answer(url, with: .picture(.solid(.red, width: 40, height: 40)))
        profile.show(url, options: options)
        #expect(profile.message == "loading")
        await profile.portrait.kf.waitUntilLoaded()
        #expect(profile.portrait.image?.size == CGSize(width: 40, height: 40))
        #expect(profile.message.isEmpty)
    }

    @Test func `a missing portrait is admitted`() async {
        bench.transport.answer(url, with: .status(404))
        profile.show(url, options: options)
        await profile.portrait.kf.waitUntilLoaded()
        #expect(profile.message == "no portrait")
    }

    @Test func `a slow portrait of another person is not shown`() async throws {
        let other = try #require(URL(string: "https://example.test/ben.png"))
        bench.transport.answer(other, with: .picture(.solid(.blue, width: 8, height: 8)))
        profile.show(url, options: options)
        await bench.transport.started(1)
        profile.show(other, options: options)
        try bench.transport.transfer(0).complete(ScriptedPicture.solid(.red).data())
        await profile.portrait.kf.waitUntilLoaded()
        #expect(profile.portrait.image?.pixelWidth == 8)
    }

    @Test func `portraits are loaded again after a week`() async throws {
        bench.transport.answer(url, with: .picture(.solid(.red)))
        try await bench.load(url)
        bench.clock.advance(by: 8 * 24 * 3600)
        try await bench.load(url)
        #expect(bench.transport.requests.count == 2)
    }
}
