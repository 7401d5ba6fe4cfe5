#if GTK
import Foundation
import Kingfisher
import Testing

@testable import KingfisherGTK

/// Predictions from positions at given times.
struct ScrollForecastTests {
    private typealias Wanted = [(position: Int, deadline: ImageInterest.Deadline)]

    /// Six items in each row of 130 pixels, of which 760 pixels are visible.
    private let row = 130.0
    private func layout(top: Double) -> ListLayout {
        ListLayout(top: top, bottom: top + 760, item: row / 6)
    }

    /// A list that has moved for some frames, with positions by time in seconds.
    private func moved(
        frames: Int = 30,
        _ position: (Double) -> Double
    ) -> ScrollForecast {
        var forecast = ScrollForecast()
        for frame in 0...frames {
            let time = Double(frame) / 60
            forecast.record(position(time), at: 100 + time)
        }
        return forecast
    }

    private func wanted(_ forecast: ScrollForecast, count: Int = 10_000) -> Wanted {
        ListPrefetch.wanted(
            forecast,
            layout(top: forecast.position),
            of: count,
            length: row,
            ahead: 24
        )
    }

    // MARK: Movement

    @Test(arguments: [3_600.0, -3_600])
    func `a list goes on at its speed`(velocity: Double) {
        let forecast = moved { 50_000 + velocity * $0 }
        #expect(abs(forecast.velocity - velocity) < 1)
        #expect(forecast.friction == 0)
        #expect(forecast.isBackward == (velocity < 0))
        #expect(abs((forecast.time(toMove: 360) ?? 0) - 0.1) < 0.001)
        #expect(forecast.time(toMove: -1) == 0)
    }

    @Test func `late frames are not taken for a list that slows down`() {
        var late = false
        let forecast = moved { time in
            late.toggle()
            return 10_000 * (late ? time - 0.004 : time)
        }
        #expect(forecast.friction == 0)
        #expect(abs(forecast.velocity - 10_000) < 1_500)
    }

    @Test func `a list that slows down rests where kinetic scrolling ends`() {
        // 10,000 pixels per second at the beginning, 2,500 pixels in all.
        let forecast = moved(frames: 15) { 2_500 * (1 - exp(-4 * $0)) }
        let rest = 2_500 * exp(-4 * 0.25)
        #expect(forecast.time(toMove: rest * 0.8) != nil)
        #expect(forecast.time(toMove: rest * 1.2) == nil)
    }

    @Test func `a list that has stopped does not move`() {
        var forecast = moved { 3_600 * $0 }
        forecast.record(forecast.position, at: 100.517)
        #expect(forecast.velocity > 0)
        for frame in 2...5 {
            forecast.record(forecast.position, at: 100.5 + Double(frame) / 60)
        }
        #expect(forecast.velocity == 0)
        #expect(forecast.time(toMove: 1) == nil)
    }

    @Test func `a click of the wheel after a pause counts as movement at once`() {
        var forecast = ScrollForecast()
        forecast.record(0, at: 1)
        forecast.record(80, at: 9)
        #expect(abs(forecast.velocity - 4_800) < 1)
        forecast.record(80, at: 9.016)
        forecast.record(80, at: 9.06)
        #expect(forecast.velocity == 0)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func `no position and no time breaks it`(value: Double) {
        var forecast = moved { 3_600 * $0 }
        forecast.record(value, at: 102)
        forecast.record(1, at: value)
        forecast.record(2, at: 103)
        forecast.record(-value, at: 103.01)
        _ = forecast.time(toMove: value)
        #expect(wanted(forecast).allSatisfy { (0..<10_000).contains($0.position) })
        #expect(wanted(forecast, count: 0).isEmpty)
    }

    // MARK: Items

    @Test func `items are wanted in the order in which they come in sight, in both directions`() {
        let down = wanted(moved { 50_000 + 3_600 * $0 })
        #expect(down.map(\.position) == down.map(\.position).sorted())
        #expect(down.count > 24)
        let up = wanted(moved { 50_000 - 3_600 * $0 })
        #expect(up.map(\.position) == up.map(\.position).sorted(by: >))
        #expect(up.count > 24)
    }

    @Test func `an item that comes too soon for a load falls behind those after it`() {
        let list = wanted(moved { 50_000 + 3_600 * $0 })
        let times = list.map(\.deadline)
        #expect(times.first == .gone)
        let inTime = times.drop { $0 == .gone }
        #expect(!inTime.isEmpty)
        for time in inTime {
            guard case .after(let begin) = time else {
                Issue.record("\(time)")
                continue
            }
            #expect(begin >= .milliseconds(80))
        }
    }

    @Test(arguments: [12_000.0, 30_000, 200_000])
    func `rows that pass in less than 80 ms are not wanted`(velocity: Double) {
        let forecast = moved { velocity * $0 }
        #expect(wanted(forecast).isEmpty)
        let sight = forecast.sight(of: 500, row, in: layout(top: forecast.position))
        #expect(sight.deadline == nil)
    }

    @Test func `of a list that slows down, the items of its resting place are wanted`() {
        // 30,000 pixels per second at the beginning.
        let forecast = moved(frames: 12) { 7_500 * (1 - exp(-4 * $0)) }
        let list = wanted(forecast)
        // The last screen begins at 7,500 pixels, which is item 346.
        #expect(list.contains { (340...360).contains($0.position) })
        // Those before are loaded after them.
        for (position, deadline) in list where position < 330 {
            #expect(deadline == .prefetch || deadline == .gone)
        }
    }

    @Test func `an item in sight is wanted now, unless it leaves soon`() {
        let slow = moved { 500 * $0 }
        let place = Int(slow.position / (row / 6))
        #expect(slow.sight(of: place + 18, row, in: layout(top: slow.position)).deadline == .now)
        let fast = moved { 3_600 * $0 }
        let first = Int(fast.position / (row / 6))
        #expect(fast.sight(of: first + 18, row, in: layout(top: fast.position)).deadline == .gone)
        #expect(fast.sight(of: first, row, in: layout(top: fast.position)).deadline == nil)
    }
}
#endif
