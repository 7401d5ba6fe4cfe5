import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Loads with `cancelWhenSuperseded` end when another load replaces them.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct CancellingSupersededTests: AvatarLoading {
    let bench: TestBench
    let avatar = Avatar()

    init() throws {
        bench = try TestBench()
    }

    /// The error of the load itself, taken out of the error for a superseded load.
    private func inner(_ pending: Pending) async throws -> KingfisherError? {
        let error = try await pending.error()
        guard case .imageSettingError(reason: .notCurrentSourceTask(nil, let inner, _)) = error
        else {
            Issue.record("unexpected error \(error)")
            return nil
        }
        return inner as? KingfisherError
    }

    // The server never answers in these tests: only a cancellation ends the first load.

    @Test func `W-13: a superseded download is cancelled when its options say so`() async throws {
        let slow = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let (first, _) = start(slow, options: [.cancelWhenSuperseded])
        let (second, _) = start(.network(bench.serveJPEG("/b.jpg", width: 20)))
        #expect(try await inner(first)?.isTaskCancelled == true)
        #expect(try await second.image().pixelWidth == 20)
        #expect(avatar.image?.pixelWidth == 20)
        #expect(!bench.cache.isCached(forKey: slow.cacheKey))
        #expect(bench.downloader.downloads.running.isEmpty)
    }

    @Test func `W-13: clearing the place cancels, too`() async throws {
        let slow = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let (first, _) = start(slow, options: [.cancelWhenSuperseded])
        let (second, _) = start(nil)
        #expect(second.isOver)
        #expect(try await inner(first)?.isTaskCancelled == true)
    }

    @Test func `W-13: the superseded load's option counts, not the new one's`() async throws {
        let gate = ServerGate()
        let slow = bench.serveHeld("/slow.jpg", gate: gate)
        let (first, _) = start(slow)
        let (second, _) = start(
            .network(bench.serveJPEG("/b.jpg")),
            options: [.cancelWhenSuperseded]
        )
        _ = try await second.image()
        gate.open()
        #expect(try await first.error().isNotCurrentTask)
        #expect(bench.cache.isCached(forKey: slow.cacheKey))
    }

    @Test func `W-13: the same URL again continues the same download`() async throws {
        let gate = ServerGate()
        let slow = bench.serveHeld("/slow.jpg", width: 30, gate: gate)
        let (first, _) = start(slow, options: [.cancelWhenSuperseded])
        await gate.reached()
        let (second, _) = start(slow, options: [.cancelWhenSuperseded])
        #expect(try await inner(first)?.isTaskCancelled == true)
        gate.open()
        #expect(try await second.image().pixelWidth == 30)
        #expect(bench.server.requests(for: "/slow.jpg").count == 1)
    }

    @Test func `W-13: others keep the download that they share`() async throws {
        let gate = ServerGate()
        let slow = bench.serveHeld("/slow.jpg", width: 30, gate: gate)
        let other = Avatar()
        let kept = Pending()
        other.kf.setImage(
            with: slow,
            options: bench.viewOptions,
            completionHandler: kept.completion
        )
        let (first, _) = start(slow, options: [.cancelWhenSuperseded])
        _ = try await start(.network(bench.serveJPEG("/b.jpg"))).pending.image()
        #expect(try await inner(first)?.isTaskCancelled == true)
        gate.open()
        #expect(try await kept.image().pixelWidth == 30)
        #expect(bench.server.requests(for: "/slow.jpg").count == 1)
    }

    @Test func `W-13: a provider's work is cancelled, too`() async throws {
        struct Endless: ImageDataProvider {
            let cacheKey = "endless"
            let cancelled = Gate()
            func data() async throws -> Data {
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.open()
                }
                throw CancellationError()
            }
        }
        let provider = Endless()
        let (first, _) = start(.provider(provider), options: [.cancelWhenSuperseded])
        _ = try await start(.network(bench.serveJPEG("/b.jpg"))).pending.image()
        #expect(try await inner(first)?.errorCode == 1006)
        await provider.cancelled.wait()
    }
}
