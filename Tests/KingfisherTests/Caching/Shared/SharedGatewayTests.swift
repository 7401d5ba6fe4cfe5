import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Requests to a shared storage are bounded in time, and stop after failures.
@Suite(.timeLimit(.minutes(1)))
struct SharedGatewayTests {
    private let clock = ManualClock()
    private let storage: InMemorySharedStorage
    private let gateway: SharedGateway

    init() {
        storage = InMemorySharedStorage(clock: clock.clock)
        gateway = SharedGateway(storage, settings: SharedStorageSettings(), clock: clock.clock)
    }

    private func ask() async -> Bool {
        await gateway.ask { try await $0.values(for: ["a"]) }.value != nil
    }

    /// Asks while the clock passes the time-out.
    private func askDead() async -> Bool {
        let count = storage.calls.count
        async let answer = ask()
        await storage.called(count + 1)
        clock.advance(by: 0.1)
        return await answer
    }

    @Test func `after three failures in a row the storage is asked no more`() async {
        storage.faults.fails = true
        for _ in 0..<10 { #expect(await !ask()) }
        #expect(storage.calls.count == 3)
        #expect(gateway.isPaused)
    }

    @Test func `a success between failures keeps the storage in use`() async {
        for _ in 0..<5 {
            storage.faults.fails = true
            #expect(await !ask())
            #expect(await !ask())
            storage.faults.fails = false
            #expect(await ask())
        }
        #expect(storage.calls.count == 15)
        #expect(!gateway.isPaused)
    }

    @Test func `a dead storage costs its time-outs and then nothing`() async {
        storage.faults.isDead = true
        for _ in 0..<3 { #expect(await !askDead()) }
        // Nobody moves the clock any more.
        for _ in 0..<10 { #expect(await !ask()) }
        #expect(storage.calls.count == 3)
    }

    @Test func `after the pause one request tries the storage`() async {
        storage.faults.fails = true
        for _ in 0..<3 { _ = await ask() }
        clock.advance(by: 5)
        #expect(await !ask())
        #expect(await !ask())
        #expect(storage.calls.count == 4)
        storage.faults.fails = false
        clock.advance(by: 5)
        #expect(await ask())
        #expect(await ask())
        #expect(storage.calls.count == 6)
        #expect(!gateway.isPaused)
    }

    @Test func `while the trial runs nothing else is asked`() async {
        storage.faults.fails = true
        for _ in 0..<3 { _ = await ask() }
        storage.faults = .init()
        storage.faults.delay = 0.05
        clock.advance(by: 5)
        async let trial = ask()
        await storage.called(4)
        for _ in 0..<5 { #expect(await !ask()) }
        clock.advance(by: 0.05)
        #expect(await trial)
        #expect(storage.calls.count == 4)
    }

    @Test func `a storage that answers in time is not paused`() async {
        storage.faults.delay = 0.09
        for count in 1...5 {
            async let answer = ask()
            await storage.called(count)
            clock.advance(by: 0.09)
            #expect(await answer)
        }
    }

    @Test func `a clock that is set back does not extend the pause`() async {
        storage.faults.fails = true
        for _ in 0..<3 { _ = await ask() }
        storage.faults.fails = false
        clock.advance(by: -1_000)
        #expect(await ask())
    }

    @Test func `absurd settings are bounded`() async {
        var settings = SharedStorageSettings()
        settings.timeout = .seconds(-5)
        settings.pause = .seconds(Int64.max)
        settings.failuresBeforePause = -1
        let gateway = SharedGateway(storage, settings: settings, clock: clock.clock)
        storage.faults.fails = true
        for _ in 0..<3 { _ = await gateway.ask { try await $0.remove([]) } }
        #expect(storage.calls.count == 1)
    }
}

/// Reads are combined.
@Suite(.timeLimit(.minutes(1)))
struct SharedReadsTests {
    private let clock = ManualClock()
    private let storage: InMemorySharedStorage
    private let reads: SharedReads

    init() {
        storage = InMemorySharedStorage(clock: clock.clock)
        reads = SharedReads(
            SharedGateway(storage, settings: SharedStorageSettings(), clock: clock.clock)
        )
        storage.contents = ["3": Data([3])]
    }

    /// Reads names while a first read keeps the storage busy, and then ends it.
    private func readTogether(_ count: Int) async throws -> [SharedReads.Answer] {
        storage.faults.delay = 0.05
        let first = Task { await reads.value(of: "first") }
        await storage.called(1)
        storage.faults.delay = 0
        return try await withThrowingTaskGroup { group in
            for name in 0..<count {
                group.addTask { await reads.value(of: "\(name)") }
            }
            try await eventually { reads.waitingCount >= count }
            clock.advance(by: 0.05)
            _ = await first.value
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `reads of the same time are one request`() async throws {
        let answers = try await readTogether(10)
        #expect(storage.calls.count == 2)
        if case .values(let names) = storage.calls.last {
            #expect(Set(names) == Set((0..<10).map(String.init)))
        }
        let values = answers.compactMap { if case .value(let data) = $0 { data } else { nil } }
        #expect(values == [Data([3])])
    }

    @Test func `many reads are several requests of limited size`() async throws {
        _ = try await readTogether(100)
        let sizes = storage.calls.map { if case .values(let names) = $0 { names.count } else { 0 } }
        #expect(sizes == [1, 32, 32, 32, 4])
    }

    @Test func `what waits behind a time-out does not wait for another one`() async throws {
        storage.faults.isDead = true
        let answers = try await withThrowingTaskGroup { group in
            group.addTask { await reads.value(of: "first") }
            await storage.called(1)
            for name in 0..<50 { group.addTask { await reads.value(of: "\(name)") } }
            try await eventually { reads.waitingCount >= 50 }
            clock.advance(by: 0.1)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 51)
        for answer in answers {
            guard case .unavailable = answer else {
                Issue.record("an answer of a dead storage")
                continue
            }
        }
        #expect(storage.calls.count == 1)
    }
}
