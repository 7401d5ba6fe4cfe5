#if GTK
import CKFGTKHeaders
import Synchronization
import Testing

extension GTKTests {
    /// The waits of the other tests.
    struct StageTests {
        @Test func `a wait ends although GLib's loop has work each time`() async throws {
            try #require(gtk_init_check() != 0)
            g_idle_add_full(
                G_PRIORITY_HIGH,
                { _ in
                    EndlessWork.runs.add(1, ordering: .relaxed).newValue < EndlessWork.most ? 1 : 0
                },
                nil,
                nil
            )
            await Stage.run { EndlessWork.runs.load(ordering: .relaxed) > 0 }
            let runs = EndlessWork.runs.exchange(EndlessWork.most, ordering: .relaxed)
            #expect(runs < EndlessWork.most)
        }
    }

    /// Work that is ready in each iteration of the loop.
    nonisolated private enum EndlessWork {
        static let runs = Atomic(0)
        /// The number of runs after which the work ends, so that a wait that hangs fails instead.
        static let most = 10_000
    }
}
#endif
