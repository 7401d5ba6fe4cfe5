import Chance
import Foundation

/// A server of a simulation: requests wait for its workers.
struct SimulatedHost: Sendable {
    var workers: Int
    /// The mean seconds of a worker per request.
    var service: Double
    /// By how much a request takes longer for each one that waits.
    var thrash = 0.0
    /// In seconds.
    var roundTrip: Double

    static let slow = SimulatedHost(workers: 4, service: 0.1, roundTrip: 0.06)
    static let thrashing = SimulatedHost(workers: 4, service: 0.1, thrash: 0.1, roundTrip: 0.06)
    static let fast = SimulatedHost(workers: 64, service: 0.005, roundTrip: 0.03)
    static let far = SimulatedHost(workers: 64, service: 0.005, roundTrip: 0.2)
}

/// The load of a simulation.
struct SimulatedLoad: Sendable {
    let title: String
    let hosts: [SimulatedHost]
    /// The requests at the start.
    var burst = 0
    /// The requests per second for a minute.
    var rate = 0.0
    /// When the first host becomes a slow one, in seconds.
    var slowsDown: Double?

    static let all = [
        SimulatedLoad(title: "a slow host, 400 at once", hosts: [.slow], burst: 400),
        SimulatedLoad(title: "a slow host, 28 a second", hosts: [.slow], rate: 28),
        SimulatedLoad(title: "a host that thrashes", hosts: [.thrashing], burst: 400),
        SimulatedLoad(title: "a far host", hosts: [.far], burst: 2_000),
        SimulatedLoad(
            title: "30 fast hosts, 3,000 at once",
            hosts: Array(repeating: .fast, count: 30),
            burst: 3_000
        ),
        SimulatedLoad(
            title: "30 fast hosts, 180 a second",
            hosts: Array(repeating: .fast, count: 30),
            rate: 180
        ),
        SimulatedLoad(title: "a host becomes slow", hosts: [.fast], rate: 25, slowsDown: 20),
    ]
}

/// Requests of 50 KB to hosts behind one link of 100 Mbit/s, in simulated time.
///
/// An urgent request comes every quarter of a second, and is the next to be sent.
struct WidthSimulation {
    struct Outcome {
        var perSecond: Double
        /// The 95th percentiles of the seconds from the request to its last byte.
        var p95: Double
        var urgent: Double
    }

    private enum Event {
        case wanted(host: Int, isUrgent: Bool)
        case reached(Int)
        case served(Int)
        case answered(Int)
        case slowsDown
    }

    private struct Request {
        let host: Int
        let isUrgent: Bool
        let wanted: Double
        var sent = 0.0
    }

    private struct State {
        var host: SimulatedHost
        var policy: any WidthPolicy
        var waiting: ArraySlice<Int> = []
        var urgent: ArraySlice<Int> = []
        var running = 0
        var atServer: ArraySlice<Int> = []
        var busy = 0
    }

    private static let link = 12.5e6
    private static let bytes = 50_000.0
    /// The connections of all hosts.
    private static let total = 64

    private let load: SimulatedLoad
    private let limit: Int
    private var states: [State]
    private var random = Random(seed: 7)
    private var now = 0.0
    /// In order of time; of a few hundred events.
    private var events: [(time: Double, event: Event)] = []
    private var requests: [Request] = []
    private var running = 0
    private var turn = 0
    /// The transfers on the link, which share it equally: the one with the fewest bytes left first.
    private var transfers: [(end: Double, request: Int)] = []
    /// The bytes that each transfer received since the start.
    private var progress = 0.0
    private var times: [Double] = []
    private var urgentTimes: [Double] = []

    init(_ load: SimulatedLoad, limit: Int, policy: any WidthPolicy) {
        self.load = load
        self.limit = limit
        states = load.hosts.map { State(host: $0, policy: policy) }
    }

    mutating func run() -> Outcome {
        var wanted: [(time: Double, event: Event)] = (0..<load.burst).map {
            (0, .wanted(host: $0 % states.count, isUrgent: false))
        }
        var time = 0.0
        while load.rate > 0, time < 60 {
            time -= log(1 - random.unit()) / load.rate
            wanted.append((time, .wanted(host: anyHost(), isUrgent: false)))
        }
        for time in stride(from: 0.25, to: load.rate > 0 ? 60 : 10, by: 0.25) {
            wanted.append((time, .wanted(host: anyHost(), isUrgent: true)))
        }
        if let time = load.slowsDown { wanted.append((time, .slowsDown)) }
        // The last one is the next.
        events = wanted.sorted { $0.time > $1.time }
        while step() {}
        return Outcome(
            perSecond: Double(times.count) / now,
            p95: Self.p95(times),
            urgent: Self.p95(urgentTimes)
        )
    }

    private static func p95(_ times: [Double]) -> Double { times.sorted()[times.count * 95 / 100] }

    private mutating func anyHost() -> Int { Int(random.unit() * Double(states.count)) }

    private mutating func add(_ event: Event, after delay: Double) {
        let time = now + delay
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].time > time { low = middle + 1 } else { high = middle }
        }
        events.insert((time, event), at: low)
    }

    private mutating func step() -> Bool {
        let end = transfers.first.map {
            now + ($0.end - progress) * Double(transfers.count) / Self.link
        }
        guard let next = events.last, next.time <= end ?? .infinity else {
            guard let end else { return false }
            move(to: end)
            finish(transfers.removeFirst().request)
            return true
        }
        events.removeLast()
        move(to: next.time)
        handle(next.event)
        return true
    }

    private mutating func move(to time: Double) {
        if !transfers.isEmpty { progress += (time - now) * Self.link / Double(transfers.count) }
        now = time
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .wanted(let host, let isUrgent):
            requests.append(Request(host: host, isUrgent: isUrgent, wanted: now))
            if isUrgent {
                states[host].urgent.append(requests.count - 1)
            } else {
                states[host].waiting.append(requests.count - 1)
            }
            admit()
        case .reached(let request):
            states[requests[request].host].atServer.append(request)
            serve(requests[request].host)
        case .served(let request):
            let host = requests[request].host
            states[host].busy -= 1
            add(.answered(request), after: states[host].host.roundTrip / 2)
            serve(host)
        case .answered(let request):
            let host = requests[request].host
            states[host].policy.record(
                now - requests[request].sent,
                running: states[host].running,
                limit: limit
            )
            let end = progress + Self.bytes
            let place = transfers.firstIndex { $0.end > end } ?? transfers.count
            transfers.insert((end, request), at: place)
        case .slowsDown:
            states[0].host = .slow
        }
    }

    private mutating func serve(_ host: Int) {
        let server = states[host].host
        while states[host].busy < server.workers, let request = states[host].atServer.popFirst() {
            states[host].busy += 1
            // At least half of the mean.
            let time = server.service * (0.5 - 0.5 * log(1 - random.unit()))
            let slowdown = 1 + server.thrash * Double(states[host].atServer.count)
            add(.served(request), after: time * slowdown)
        }
    }

    /// Sends requests, to each host in turn.
    private mutating func admit() {
        var refusals = 0
        while running < Self.total, refusals < states.count {
            let host = turn % states.count
            turn += 1
            guard states[host].running < max(1, Int(states[host].policy.width)),
                let request = states[host].urgent.popFirst() ?? states[host].waiting.popFirst()
            else {
                refusals += 1
                continue
            }
            refusals = 0
            states[host].running += 1
            running += 1
            requests[request].sent = now
            add(.reached(request), after: states[host].host.roundTrip / 2)
        }
    }

    private mutating func finish(_ number: Int) {
        let request = requests[number]
        states[request.host].running -= 1
        running -= 1
        let time = now - request.wanted
        if request.isUrgent { urgentTimes.append(time) } else { times.append(time) }
        admit()
    }
}
