import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ImageBindingTests: AvatarLoading {
    let bench: TestBench
    let avatar = Avatar()

    init() throws {
        bench = try TestBench()
    }

    @Test func `any type becomes a target in five lines`() async throws {
        final class Card: KingfisherImageSettable {
            var picture: KFCrossPlatformImage?
            func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
                picture = image
            }
            func getImage() -> KFCrossPlatformImage? { picture }
        }
        let card = Card()
        let pending = Pending()
        card.kf.setImage(
            with: bench.serveJPEG("/a.jpg"),
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        let image = try await pending.image()
        #expect(card.picture === image)
        #expect(card.getImage()?.pixelWidth == 64)
    }

    @Test func `VW-16: overloads for resources, providers and sources load alike`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let data = TestImage.png(width: 20, height: 10)
        let pendings = [Pending(), Pending(), Pending()]
        let options = bench.viewOptions
        avatar.kf.setImage(
            with: url,
            options: options,
            completionHandler: pendings[0].completion
        )
        #expect(try await pendings[0].image() === avatar.image)
        avatar.kf.setImage(
            with: RawImageDataProvider(data: data, cacheKey: "raw"),
            options: options,
            completionHandler: pendings[1].completion
        )
        #expect(try await pendings[1].image().pixelWidth == 20)
        avatar.kf.setImage(
            with: Source.network(url),
            options: options,
            completionHandler: pendings[2].completion
        )
        #expect(try await pendings[2].outcome().get().cacheType == .memory)
    }

    @Test func `VW-1: the completion comes on main, whatever the callback queue`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let queue = DispatchQueue(label: "elsewhere")
        let (pending, _) = start(.network(url), options: [.callbackQueue(.dispatch(queue))])
        // The completion asserts its isolation before it records the outcome.
        _ = try await pending.image()
    }

    @Test func `a memory hit is shown before the call returns`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url)).pending.image()
        avatar.image = nil
        let (pending, task) = start(.network(url), placeholder: KFCrossPlatformImage())
        #expect(pending.isOver)
        #expect(task == nil)
        #expect(avatar.image?.pixelWidth == 64)
        #expect(avatar.kf.taskIdentifier == nil)
    }

    @Test func `VW-2: no source shows the placeholder and ends at once`() async throws {
        let placeholder = KFCrossPlatformImage()
        avatar.image = KFCrossPlatformImage()
        let (pending, task) = start(nil, placeholder: placeholder)
        #expect(pending.isOver)
        #expect(task == nil)
        #expect(avatar.image === placeholder)
        #expect(try await pending.error().errorCode == 5001)
        _ = start(nil)
        #expect(avatar.image == nil)
    }

    @Test func `VW-4: the placeholder replaces the old image at once`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let placeholder = KFCrossPlatformImage()
        avatar.image = KFCrossPlatformImage()
        let (first, _) = start(source, placeholder: placeholder)
        #expect(avatar.image === placeholder)
        let (second, _) = start(source)
        #expect(avatar.image == nil)
        gate.open()
        _ = try await first.error()
        _ = try await second.image()
    }

    @Test func `VW-4: a kept image stays, an empty target gets the placeholder`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let placeholder = KFCrossPlatformImage()
        let kept = KFCrossPlatformImage()
        let (first, _) = start(
            source,
            placeholder: placeholder,
            options: [.keepCurrentImageWhileLoading]
        )
        #expect(avatar.image === placeholder)
        avatar.image = kept
        let (second, _) = start(
            source,
            placeholder: placeholder,
            options: [.keepCurrentImageWhileLoading]
        )
        #expect(avatar.image === kept)
        gate.open()
        _ = try await first.error()
        #expect(try await second.image() === avatar.image)
    }

    @Test func `VW-19: two targets with one URL share the download`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let other = Avatar()
        let pending = Pending()
        let (first, _) = start(source)
        other.kf.setImage(
            with: source,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        gate.open()
        #expect(try await first.image() === avatar.image)
        #expect(try await pending.image() === other.image)
        #expect(bench.server.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `VW-9 OPT-5: the failure image, or none, is set when given`(hasImage: Bool) async throws {
        bench.server.route("/404", .status(404))
        let source = Source.network(bench.server.url("/404"))
        let failure = hasImage ? KFCrossPlatformImage() : nil
        let placeholder = KFCrossPlatformImage()
        _ = try await start(
            source,
            placeholder: placeholder,
            options: [.onFailureImage(failure)]
        ).pending.error()
        #expect(avatar.image === failure)
        _ = try await start(source, placeholder: placeholder).pending.error()
        #expect(avatar.image === placeholder)
    }

    @Test func `KEY-8: identifiers differ between targets and are never 0`() async throws {
        let source = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let other = Avatar()
        let (first, _) = start(source)
        let pending = Pending()
        other.kf.setImage(
            with: source,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        let identifiers = [avatar.kf.taskIdentifier, other.kf.taskIdentifier]
        #expect(identifiers[0] != identifiers[1])
        #expect(identifiers.allSatisfy { ($0 ?? 0) > 0 })
        avatar.kf.cancelDownloadTask()
        other.kf.cancelDownloadTask()
        _ = try await first.error()
        _ = try await pending.error()
    }
}
