import Dispatch
import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// A network that the test switches on and off.
final class FakeNetwork: Sendable {
    let isConnected = Locked(false)
    let watches = Locked(0)
    let onChange = Locked<(@Sendable () -> Void)?>(nil)
    let clock = ManualClock()

    func monitor() -> NetworkMonitor {
        NetworkMonitor(
            isReachable: { self.isConnected.value },
            watch: { onChange in
                self.watches.change { $0 += 1 }
                self.onChange.change { $0 = onChange }
                return RepeatingTimer {
                    self.watches.change { $0 -= 1 }
                    self.onChange.change { $0 = nil }
                }
            },
            clock: clock.clock
        )
    }

    func set(_ isConnected: Bool) {
        self.isConnected.change { $0 = isConnected }
        onChange.value?()
    }
}

@Suite(.timeLimit(.minutes(1)))
struct NetworkMonitorTests {
    private let network = FakeNetwork()

    /// Waits until all callbacks have run.
    private func drain() async {
        await withCheckedContinuation { continuation in
            RetryDelay.queue.async(flags: .barrier) { continuation.resume() }
        }
    }

    @Test func `MOD-5: a wait ends once, away from main, when the network is back`() async {
        let monitor = network.monitor()
        let seen = Locked<[Bool]>([])
        let observer = monitor.observeConnectivity(timeoutInterval: 30) { isConnected in
            #expect(!MainQueue.isCurrent)
            seen.change { $0.append(isConnected) }
        }
        network.set(false)
        await drain()
        #expect(seen.value.isEmpty)
        network.set(true)
        network.set(true)
        observer.notify(isConnected: false)
        network.clock.advance(by: 60)
        await drain()
        #expect(seen.value == [true])
        #expect(monitor.observerCount == 0)
        #expect(network.watches.value == 0)
    }

    @Test func `MOD-5: the time-out gives false`() async {
        let monitor = network.monitor()
        let seen = Locked<[Bool]>([])
        _ = monitor.observeConnectivity(timeoutInterval: 30) { isConnected in
            seen.change { $0.append(isConnected) }
        }
        network.clock.advance(by: 29)
        await drain()
        #expect(seen.value.isEmpty)
        network.clock.advance(by: 2)
        await drain()
        #expect(seen.value == [false])
        #expect(network.clock.timerIntervals.isEmpty)
    }

    @Test func `MOD-5: a cancel gives nothing`() async {
        let monitor = network.monitor()
        let observer = monitor.observeConnectivity(timeoutInterval: 1) { _ in
            Issue.record("a cancelled wait was called")
        }
        observer.cancel()
        network.set(true)
        network.clock.advance(by: 5)
        await drain()
        #expect(monitor.observerCount == 0)
    }

    @Test func `a network that came back before the watch is seen`() async {
        let monitor = network.monitor()
        network.isConnected.change { $0 = true }
        let seen = Gate()
        _ = monitor.observeConnectivity(timeoutInterval: nil) { isConnected in
            #expect(isConnected)
            seen.open()
        }
        await seen.wait()
    }

    @Test func `one watch serves all waits and ends with the last`() {
        let monitor = network.monitor()
        let observers = (0..<3).map { _ in
            monitor.observeConnectivity(timeoutInterval: nil) { _ in }
        }
        #expect(network.watches.value == 1)
        observers[0].cancel()
        observers[1].cancel()
        #expect(network.watches.value == 1)
        observers[2].cancel()
        #expect(network.watches.value == 0)
    }

    @Test func `the machine's own routes can be asked and watched`() {
        // Whatever the result on this machine is, it is the same twice, and a watch can be opened
        // and closed.
        #expect(RouteWatch.hasRoute() == RouteWatch.hasRoute())
        for _ in 0..<100 { _ = RouteWatch(onChange: {}) }
    }
}
