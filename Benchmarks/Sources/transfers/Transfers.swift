import Foundation
import Glibc
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads one URL many times, a number of them concurrently, and prints the cost.
///
/// usage: transfers (transport|downloader|urlsession) URL COUNT CONCURRENCY
///
/// Prints: CPU ms per request, requests per second, median ms, 99th percentile ms, total bytes.
/// `transport` is the library's transport, with each body collected in memory that the program
/// reuses, like the peer in C. `downloader` adds sharing, delegates and the library's own memory
/// for bodies; `urlsession` is Foundation's.
@main
struct Transfers {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let url = URL(string: arguments[2]),
            let count = Int(arguments[3]), let width = Int(arguments[4]), count > 0, width > 0
        else {
            FileHandle.standardError.write(
                Data(
                    "usage: transfers transport|downloader|urlsession URL COUNT CONCURRENCY\n".utf8
                )
            )
            exit(2)
        }
        let report: String?
        switch arguments[1] {
        case "transport": report = await TransportRun(url, count, width).report()
        case "downloader": report = await DownloaderRun(url, count, width).report()
        case "urlsession": report = await SessionRun(url, count, width).report()
        default: report = nil
        }
        guard let report else { exit(1) }
        print(report)
    }
}

/// Collects the times of all requests of a run, from any thread.
final class Measurement: Sendable {
    private struct State {
        var times: [Double] = []
        var bytes = 0
        var failures = 0
        var left: Int
        var done: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let wall = ContinuousClock.now
    private let cpu = clock()

    init(count: Int) {
        state = Mutex(State(left: count))
    }

    /// Records a finished request.
    func note(_ bytes: Int?, since start: ContinuousClock.Instant) {
        let time = ContinuousClock.now - start
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.times.append(time.milliseconds)
            state.bytes += bytes ?? 0
            state.failures += bytes == nil ? 1 : 0
            state.left -= 1
            return state.left == 0 ? state.done : nil
        }
        done?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.done = continuation
                return state.left == 0
            }
            if isDone { continuation.resume() }
        }
    }

    /// One line of figures; nil if a request failed.
    func report() -> String? {
        let seconds = (ContinuousClock.now - wall).milliseconds / 1000
        let used = Double(clock() - cpu) / Double(CLOCKS_PER_SEC) * 1000
        let (times, bytes, failures) = state.withLock {
            ($0.times.sorted(), $0.bytes, $0.failures)
        }
        guard failures == 0 else { return nil }
        let count = times.count
        return String(
            format: "%.5f %.1f %.3f %.3f ",
            used / Double(count),
            Double(count) / seconds,
            times[count / 2],
            times[count * 99 / 100]
        ) + "\(bytes)"
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
