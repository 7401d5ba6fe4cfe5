#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import KingfisherGTK
import XCTest

/// Runs on the process's main thread, as in a program, which Swift Testing cannot do.
nonisolated final class MainLoopTests: XCTestCase {
    func testMainActorRunsInsideGLibsLoop() {
        MainActor.assumeIsolated { Self.runEverything() }
    }

    func testAnotherThreadsLoopDoesNotDrainTheMainQueue() {
        MainActor.assumeIsolated { Self.iterateElsewhere() }
    }

    @MainActor
    private static func iterateElsewhere() {
        XCTAssertNotEqual(MainLoop.attach(), .unavailable)
        let done = Done()
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                _ = done.names.insert(kf_is_process_main_thread() ? "here" : "elsewhere")
            }
        }
        // Like test runners, another thread acquires GLib's default context and finds the queue's
        // source ready each time.
        let hasIterated = DispatchSemaphore(value: 0)
        let thread = Thread {
            var dispatched = 0
            while dispatched < 100 { dispatched += Int(g_main_context_iteration(nil, 0)) }
            hasIterated.signal()
        }
        thread.start()
        hasIterated.wait()
        XCTAssertEqual(done.names, [])
        while done.names.isEmpty { g_main_context_iteration(nil, 1) }
        XCTAssertEqual(done.names, ["here"])
    }

    @MainActor
    private static func runEverything() {
        XCTAssertNotEqual(MainLoop.attach(), .unavailable)
        XCTAssertEqual(MainLoop.attach(), .alreadyAttached)
        let done = Done()
        DispatchQueue.main.async { MainActor.assumeIsolated { _ = done.names.insert("async") } }
        Task { @MainActor in
            done.names.insert("task")
            await Task.yield()
            done.names.insert("yield")
        }
        Task.detached {
            await MainActor.run { _ = done.names.insert("detached") }
            try await Task.sleep(for: .milliseconds(1))
            await MainActor.run { _ = done.names.insert("sleep") }
        }
        let all: Set = ["async", "task", "yield", "detached", "sleep"]
        while done.names != all { g_main_context_iteration(nil, 1) }
        // The loop must not find work when there is none: a readable descriptor would make it spin.
        while g_main_context_iteration(nil, 0) != 0 {}
        XCTAssertEqual(g_main_context_pending(nil), 0)
    }
}

/// Records the names of executed closures.
private final class Done {
    var names: Set<String> = []
}
#endif
