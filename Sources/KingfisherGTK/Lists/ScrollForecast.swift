#if GTK
import Foundation
import Kingfisher

/// Predicts the movement of a list from its positions in the last frames.
///
/// Lengths are logical pixels, times are seconds. A list that slows down is expected to slow down
/// further at the same rate, as kinetic scrolling does.
struct ScrollForecast {
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
    private(set) var velocity = 0.0
    /// The part of the speed that is lost per second; 0 for a list that does not slow down.
    private(set) var friction = 0.0
    /// Whether the list moved toward its beginning when it last moved.
    private(set) var isBackward = false

    /// Whether no position was recorded.
    var isEmpty: Bool { samples.isEmpty }
    var position: Double { samples.last?.position ?? 0 }

    /// Records the position of the list in a frame.
    ///
    /// - Parameters:
    ///   - position: The position of the visible part in the list.
    ///   - time: The time of the frame; a time that is not later than the last one is ignored.
    mutating func record(_ position: Double, at time: Double) {
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
    func time(toMove distance: Double) -> Double? {
        guard distance > 0 else { return 0 }
        let speed = abs(velocity)
        guard speed > 0 else { return nil }
        guard friction > 0 else { return distance / speed }
        let rest = 1 - distance * friction / speed
        return rest > 0 ? -log(rest) / friction : nil
    }
}

/// When an item of a list is in sight.
struct ItemSight: Equatable {
    /// The seconds until it comes in sight; 0 for an item in sight, nil for never.
    let begin: Double?
    /// The seconds until it leaves the screen; nil for never.
    let end: Double?

    /// The least time in sight for which an image is loaded; about the time of a load.
    static let least = 0.08
    /// Items that leave the screen within this time do not stay.
    private static let short = 0.5

    /// The deadline of the item's image; nil if it is not worth loading.
    ///
    /// In a list that moves, an image that can be loaded in time comes before one that would be late
    /// already.
    var deadline: ImageInterest.Deadline? {
        guard let begin else { return .prefetch }
        guard let end else { return begin > 0 ? .after(.seconds(begin)) : .now }
        guard end - max(begin, 0) >= Self.least else { return nil }
        if end >= Self.short { return begin > 0 ? .after(.seconds(begin)) : .now }
        return begin >= Self.least ? .after(.seconds(begin)) : .gone
    }
}
#endif
