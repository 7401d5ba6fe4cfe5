import ArgumentParser
import Foundation

/// A part of a video that becomes an animation.
struct VideoClip: Sendable {
    let from: TimeInterval
    let to: TimeInterval
    let framesPerSecond: Double
}

/// The options of commands that write parts of videos.
struct ClipOptions: ParsableArguments {
    @OptionGroup var part: PartOptions

    @Option(
        help: ArgumentHelp(
            "The frames of the animation in a second; it has 300 at most. (default: 12)",
            valueName: "n"
        )
    )
    var fps: Double?

    func validate() throws {
        if fps != nil, part.from == nil { throw ValidationError("--fps needs --from and --to") }
        if let fps, !(fps > 0 && fps <= 120) {
            throw ValidationError("--fps must be more than 0, and at most 120")
        }
    }

    /// The part; nil for a frame.
    var clip: VideoClip? { part.clip(framesPerSecond: fps) }

    /// Prints a note that the frames of the part are shown for longer than asked.
    func noteShortDelays(in formats: [PictureFormat]) {
        let animated = formats.filter(\.holdsAnimations)
        guard let clip, !animated.isEmpty else { return }
        ShortDelays.note(1 / clip.framesPerSecond, in: animated)
    }
}

/// The beginning and the end of a part of a video.
struct PartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The start of a part of a video that becomes an animation, of 10 seconds at most.",
            valueName: "time"
        ),
        transform: PageOptions.seconds
    )
    var from: TimeInterval?

    @Option(
        help: ArgumentHelp("The end of the part.", valueName: "time"),
        transform: PageOptions.seconds
    )
    var to: TimeInterval?

    func validate() throws {
        if (from != nil) != (to != nil) { throw ValidationError("--from and --to need each other") }
        if let from, let to, !(to > from) { throw ValidationError("--to must be after --from") }
    }

    /// Refuses a frame beside a part.
    func check(_ pages: PageOptions) throws {
        if from != nil, pages.asksForFrame {
            throw ValidationError("--from is not for --at and --cover")
        }
    }

    /// The part; nil for a frame.
    func clip(framesPerSecond: Double?) -> VideoClip? {
        guard let from, let to else { return nil }
        return VideoClip(from: from, to: to, framesPerSecond: framesPerSecond ?? 12)
    }
}
