import Dispatch
import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization

/// Connections per host: constants, and published algorithms that follow the latency.
///
/// In simulated time, and on a server of this process.
enum WidthsExperiment {
    static let experiment = Experiment(
        name: "widths",
        title: "connections per host: constants beside Gradient2 and Vegas"
    ) { _ in
        try simulate(limit: 6) + simulate(limit: 32) + measure()
    }

    private static let constants = [1, 2, 4, 6, 8, 16, 32]

    private static func policies(
        limit: Int
    ) -> (constants: [any WidthPolicy], others: [(String, any WidthPolicy)]) {
        (
            constants.filter { $0 <= limit }.map { ConstantWidth(width: Double($0)) },
            [("Gradient2", Gradient2Width(start: 6)), ("Vegas", VegasWidth(start: 6))]
        )
    }

    // MARK: In simulated time

    private static func simulate(limit: Int) -> [String] {
        let (constants, others) = policies(limit: limit)
        var lines = [
            "simulated, at most \(limit): requests per second, p95 s, p95 s of urgent requests"
        ]
        for load in SimulatedLoad.all {
            let outcomes = constants.map { policy in
                var simulation = WidthSimulation(load, limit: limit, policy: policy)
                return (String(Int(policy.width)), simulation.run())
            }
            // Of constants with nearly the same throughput, the one with the lowest latencies.
            let most = outcomes.map(\.1.perSecond).max() ?? 0
            let best = outcomes.filter { $0.1.perSecond >= 0.98 * most }
                .min { $0.1.p95 + $0.1.urgent < $1.1.p95 + $1.1.urgent }
            let rest = others.map { name, policy in
                var simulation = WidthSimulation(load, limit: limit, policy: policy)
                return (name, simulation.run())
            }
            lines.append("  " + load.title)
            let shown = outcomes.filter { ["6", "\(limit)"].contains($0.0) } + rest
            if let best { lines.append("    " + line("best: \(best.0)", best.1)) }
            lines += shown.map { "    " + line($0.0, $0.1) }
        }
        return lines
    }

    private static func line(_ name: String, _ outcome: WidthSimulation.Outcome) -> String {
        name.padding(toLength: 10, withPad: " ", startingAt: 0)
            + String(
                format: "%7.1f  %7.2f  %6.2f",
                outcome.perSecond,
                outcome.p95,
                outcome.urgent
            )
    }

    // MARK: On a server

    private static func measure() throws -> [String] {
        let (constants, others) = policies(limit: 32)
        let all = constants.map { (String(Int($0.width)), $0) } + others
        // Four workers of 20 ms.
        let workers = DispatchSemaphore(value: 4)
        let server = try LoopbackServer { _, _ in
            workers.wait()
            Thread.sleep(forTimeInterval: 0.02)
            workers.signal()
            return LoopbackServer.Answer(status: 404)
        }
        defer { server.stop() }
        return ["a server with four workers of 20 ms, 400 at once: requests per second, p95 s"]
            + all.map { name, policy in
                let run = PolicyRun(of: server, policy)
                let (perSecond, p95) = run.run(400)
                return "  " + name.padding(toLength: 12, withPad: " ", startingAt: 0)
                    + String(format: "%7.1f  %6.2f", perSecond, p95)
            }
    }
}

/// Loads from a server, as many at once as a policy allows.
private final class PolicyRun: Sendable {
    private struct State {
        var policy: any WidthPolicy
        var running = 0
        var next = 0
        var times: [Double] = []
    }

    private static let limit = 32
    private let server: LoopbackServer
    private let downloader: ImageDownloader
    private let state: Mutex<State>
    private let ended = DispatchSemaphore(value: 0)
    private let watch = Stopwatch()

    init(of server: LoopbackServer, _ policy: any WidthPolicy) {
        self.server = server
        downloader = ImageDownloader(name: "widths")
        downloader.transferSettings.maxConnectionsPerHost = Self.limit
        state = Mutex(State(policy: policy))
    }

    /// Returns the requests per second and the 95th percentile of their seconds.
    func run(_ count: Int) -> (Double, Double) {
        start(of: count)
        ended.wait()
        let times = state.withLock { $0.times.sorted() }
        return (Double(count) / (times.last ?? 1), times[count * 95 / 100])
    }

    private func start(of count: Int) {
        while true {
            let number = state.withLock { state -> Int? in
                guard state.next < count, state.running < max(1, Int(state.policy.width)) else {
                    return nil
                }
                state.running += 1
                state.next += 1
                return state.next
            }
            guard let number, let url = URL(string: server.url("/\(number).jpg")) else { return }
            let sent = watch.wall
            downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) { [self] _ in
                let isLast = state.withLock { state in
                    let running = state.running
                    state.policy.record(watch.wall - sent, running: running, limit: Self.limit)
                    state.running -= 1
                    state.times.append(watch.wall)
                    return state.times.count == count
                }
                if isLast { ended.signal() } else { start(of: count) }
            }
        }
    }
}
