#if GTK
public import Foundation

/// A sign over an image that says what it stands for.
///
/// It is drawn over images only: neither over placeholders and failure images, nor during loads.
public struct PictureBadge: Hashable, Sendable {
    /// In seconds, shown in the lower corner where a line ends; nil for none.
    public var duration: TimeInterval?
    /// What assistive technology reads after the name of the image.
    public var label: String

    /// A play sign, for a frame of a video.
    ///
    /// - Parameters:
    ///   - duration: The duration of the video in seconds, as `VideoInfo` has it; nil shows none, and
    ///     so does one that is negative or not finite.
    ///   - label: What assistive technology reads after the name of the image, with the duration.
    /// - Returns: The badge.
    public static func video(duration: TimeInterval? = nil, label: String = "video") -> Self {
        Self(duration: duration, label: label)
    }

    private init(duration: TimeInterval?, label: String) {
        self.duration = duration
        self.label = label
    }

    /// The duration as `1:02` or `1:02:03`.
    var durationText: String? {
        guard let duration, duration >= 0, duration < 1e7 else { return nil }
        let seconds = Int(duration.rounded())
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let end = twoDigits(seconds % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(end)" : "\(minutes):\(end)"
    }
}
#endif
