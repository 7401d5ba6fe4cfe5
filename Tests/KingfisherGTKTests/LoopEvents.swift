#if GTK
import CKFGTKHeaders
import Foundation

/// Waits for events of GLib's loop without blocking the main actor.
///
/// A test runs on the main actor, like the code that it waits for. A loop blocked in GLib would
/// stop both, so another thread waits.
nonisolated enum LoopEvents {
    /// Returns when GLib has something to dispatch, or was woken by ``wake()``.
    ///
    /// Call it only while no other thread iterates the default main context.
    @MainActor
    static func next() async {
        let isWatched = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                // The owner of the context is woken when other threads add sources. It asks what to
                // wait for, because a source added before it was the owner wakes nothing.
                let isOwner = g_main_context_acquire(nil) != 0
                var timeout: Int32 = -1
                let found = isOwner ? query(&timeout) : nil
                isWatched.signal()
                if var descriptors = found {
                    poll(&descriptors, nfds_t(descriptors.count), timeout)
                }
                if isOwner { g_main_context_release(nil) }
                continuation.resume()
            }
            // GLib's sources are prepared meanwhile. Takes microseconds.
            isWatched.wait()
        }
    }

    /// Ends the current or the next wait in ``next()``; for closures that are not GLib events.
    static func wake() { g_main_context_wakeup(nil) }

    /// The descriptors that GLib waits for and its timeout in milliseconds; nil if it has work now.
    private static func query(_ timeout: inout Int32) -> [pollfd]? {
        // Unlike related functions, the query does not accept null for the default context.
        let context = g_main_context_default()
        guard g_main_context_acquire(context) != 0 else { return nil }
        defer { g_main_context_release(context) }
        var priority: Int32 = 0
        guard g_main_context_prepare(context, &priority) == 0 else { return nil }
        var count: Int32 = 0
        var polls: [GPollFD] = []
        // Only other threads can add sources between the two calls; then the query is repeated.
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
