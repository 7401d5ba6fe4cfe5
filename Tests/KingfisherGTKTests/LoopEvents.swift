#if GTK
import CGTK
import Foundation

/// Waits for events of GLib's loop without keeping the main actor.
///
/// A test runs on the main actor, and so does what it waits for; a loop that blocked in GLib would
/// keep everybody else from running. So the waiting is done on another thread.
nonisolated enum LoopEvents {
    /// Returns when GLib has something to dispatch, or was woken by ``wake()``.
    ///
    /// To be called while no other thread iterates the default main context.
    @MainActor
    static func next() async {
        var timeout: Int32 = -1
        guard let descriptors = query(&timeout) else { return }
        let isWatched = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [descriptors, timeout] in
                // Who owns the context is woken by sources that others add.
                let isOwner = g_main_context_acquire(nil) != 0
                isWatched.signal()
                var descriptors = descriptors
                if isOwner {
                    poll(&descriptors, nfds_t(descriptors.count), timeout)
                    g_main_context_release(nil)
                }
                continuation.resume()
            }
            // Until then a source could be added unnoticed. It takes microseconds.
            isWatched.wait()
        }
    }

    /// Ends the wait in ``next()``, or the next one; for closures that are no events of GLib's.
    static func wake() { g_main_context_wakeup(nil) }

    /// What GLib waits for, and for how long in milliseconds; nil if it has something to do now.
    @MainActor
    private static func query(_ timeout: inout Int32) -> [pollfd]? {
        // Unlike its neighbours, the query knows no null for the default context.
        let context = g_main_context_default()
        guard g_main_context_acquire(context) != 0 else { return nil }
        defer { g_main_context_release(context) }
        var priority: Int32 = 0
        guard g_main_context_prepare(context, &priority) == 0 else { return nil }
        var count: Int32 = 0
        var polls: [GPollFD] = []
        // Sources may come between the two calls only from other threads; then it is asked again.
        repeat {
            polls = Array(repeating: GPollFD(), count: Int(count))
            count = g_main_context_query(context, Int32.max, &timeout, &polls, Int32(polls.count))
        } while count > polls.count
        guard timeout != 0 else { return nil }
        return polls.prefix(Int(count)).map {
            pollfd(fd: $0.fd, events: Int16(bitPattern: $0.events), revents: 0)
        }
    }
}
#endif
