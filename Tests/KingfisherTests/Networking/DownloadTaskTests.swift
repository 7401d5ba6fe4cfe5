import Dispatch
import TestSupport
import Testing

@testable import Kingfisher

@MainActor
struct DownloadTaskTests {
    private let ends = Locked(0)

    /// Starts work that never suspends, and returns how often its completion was called meanwhile.
    private func endsInCall(
        on queue: CallbackQueue,
        isImmediate: Bool = false,
        error: (any Error)? = nil
    ) -> Int {
        _ = DownloadTask.running(
            callingBackOn: queue,
            { [ends] _ in ends.change { $0 += 1 } },
            isImmediate: { _ in isImmediate },
            { _ in if let error { throw error } }
        )
        return ends.value
    }

    private func endsLater() async -> Int {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
        return ends.value
    }

    @Test(arguments: [nil, CancellationError()] as [CancellationError?])
    func `MGR-17: work as fast as its caller ends after the call`(
        error: CancellationError?
    ) async {
        #expect(endsInCall(on: .mainCurrentOrAsync, error: error) == 0)
        #expect(await endsLater() == 1)
    }

    @Test func `MGR-17: a value from memory ends the work within the call`() async {
        #expect(endsInCall(on: .mainCurrentOrAsync, isImmediate: true) == 1)
        #expect(await endsLater() == 1)
    }

    @Test func `without a queue the work ends on its own thread`() async {
        #expect(endsInCall(on: .untouch) == 1)
        #expect(await endsLater() == 1)
    }
}
