import Foundation

/// Predicts the movement of a list from its positions in the last frames.
///
/// Lengths are logical pixels, times are seconds. A list that slows down is expected to slow down
/// further at the same rate, as kinetic scrolling does.
package struct ScrollForecast {
    private struct Sample {
        let time: Double
        let position: Double
    }

    /// The time from which the friction is computed, and that from which the speed is.
    ///
    /// Frames are some milliseconds late at times, and some events of a wheel miss a frame, which a
    /// shorter time would take for a change of speed.
    private static let (memory, recently) = (0.2, 0.05)
    /// A slower decline is as likely caused by late frames.
    private static let leastFriction = 2.0
    private var samples: [Sample] = []

    /// Pixels per second; negative toward the beginning of the list.
    package private(set) var velocity = 0.0
    /// The part of the speed that is lost per second; 0 for a list that does not slow down.
    package private(set) var friction = 0.0
    /// Whether the list moved toward its beginning when it last moved.
    package private(set) var isBackward = false

    /// Makes a forecast without positions.
    package init() {}

    /// Whether no position was recorded.
    package var isEmpty: Bool { samples.isEmpty }
    /// The last position; 0 before the first.
    package var position: Double { samples.last?.position ?? 0 }

    /// Records the position of the list in a frame.
    ///
    /// - Parameters:
    ///   - position: The position of the visible part in the list.
    ///   - time: The time of the frame; a time that is not later than the last one is ignored.
    package mutating func record(_ position: Double, at time: Double) {
        guard position.isFinite, time.isFinite else { return }
        if let last = samples.last {
            guard time > last.time else { return }
            // The list has rested until the frame before this one.
            if time - last.time > Self.recently {
                samples = [Sample(time: time - 1.0 / 60, position: last.position)]
            }
        }
        samples.append(Sample(time: time, position: position))
        // The last position that is too old begins the movement.
        while samples.count > 2, time - samples[1].time >= Self.memory { samples.removeFirst() }
        update()
    }

    private mutating func update() {
        (velocity, friction) = (0, 0)
        guard let first = samples.first, let last = samples.last, samples.count > 1 else { return }
        let start = last.time - Self.recently
        let recent = samples.dropLast().last { $0.time <= start } ?? first
        velocity = Self.velocity(from: recent, to: last)
        guard velocity != 0 else { return }
        isBackward = velocity < 0
        let middle = samples[samples.count / 2]
        let former = Self.velocity(from: first, to: middle)
        let latter = Self.velocity(from: middle, to: last)
        guard last.time - first.time > Self.memory / 2, former * latter > 0 else { return }
        let decline = log(former / latter) / ((last.time - first.time) / 2)
        guard decline > Self.leastFriction else { return }
        friction = decline
        // The speed was that of the middle of its time.
        velocity *= exp(-friction * (last.time - recent.time) / 2)
    }

    private static func velocity(from first: Sample, to last: Sample) -> Double {
        let passed = last.time - first.time
        return passed > 0 ? (last.position - first.position) / passed : 0
    }

    /// The seconds until the list has moved by a distance in its direction; nil for never.
    package func time(toMove distance: Double) -> Double? {
        guard distance > 0 else { return 0 }
        let speed = abs(velocity)
        guard speed > 0 else { return nil }
        guard friction > 0 else { return distance / speed }
        let rest = 1 - distance * friction / speed
        return rest > 0 ? -log(rest) / friction : nil
    }
}

/// When an item of a list is in sight.
package struct ItemSight: Equatable {
    /// The seconds until it comes in sight; 0 for an item in sight, nil for never.
    package let begin: Double?
    /// The seconds until it leaves the screen; nil for never.
    package let end: Double?

    /// The least time in sight for which an image is loaded; about the time of a load.
    package static let least = 0.08
    /// Items that leave the screen within this time do not stay.
    private static let short = 0.5

    /// The deadline of the item's image; nil if it is not worth loading.
    ///
    /// In a list that moves, an image that can be loaded in time comes before one that would be late
    /// already.
    package var deadline: ImageInterest.Deadline? {
        guard let begin else { return .prefetch }
        guard let end else { return begin > 0 ? .after(.seconds(begin)) : .now }
        guard end - max(begin, 0) >= Self.least else { return nil }
        if end >= Self.short { return begin > 0 ? .after(.seconds(begin)) : .now }
        return begin >= Self.least ? .after(.seconds(begin)) : .gone
    }
}

/// The lengths that the positions of items are computed from.
package struct ListLayout {
    /// The first and the last visible pixel.
    package var top, bottom: Double
    /// The length of the list for each item; several items share a row.
    package var item: Double

    /// Makes a layout.
    package init(top: Double, bottom: Double, item: Double) {
        (self.top, self.bottom, self.item) = (top, bottom, item)
    }
}

extension ScrollForecast {
    /// When an item will be in sight.
    ///
    /// - Parameters:
    ///   - position: The position of the item.
    ///   - length: The length of its row.
    ///   - layout: The list's present layout.
    /// - Returns: The times from now.
    package func sight(of position: Int, _ length: Double, in layout: ListLayout) -> ItemSight {
        let start = Double(position) * layout.item
        let end = start + max(length, layout.item)
        // The distance until its first pixel is in sight, and until its last one no longer is.
        let (first, last) =
            isBackward
            ? (layout.top - end, layout.bottom - start) : (start - layout.bottom, end - layout.top)
        return ItemSight(begin: time(toMove: first), end: time(toMove: last))
    }
}
