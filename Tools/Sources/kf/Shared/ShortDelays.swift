import Synchronization

/// A note about delays of frames that are played for longer.
enum ShortDelays {
    private static let isNoted = Mutex(false)

    /// Prints a note, once in a run, that frames are shown for longer than asked.
    ///
    /// - Parameters:
    ///   - shortest: The shortest delay in seconds.
    ///   - formats: The formats that are written.
    static func note(_ shortest: Double, in formats: [PictureFormat]) {
        guard LibraryLog.shared.level != .quiet, let reason = reason(shortest, formats),
            isNoted.withLock({ isNoted in
                defer { isNoted = true }
                return !isNoted
            })
        else { return }
        Terminal.note("kf: \(reason); choose fewer frames a second")
    }

    private static func reason(_ shortest: Double, _ formats: [PictureFormat]) -> String? {
        // As browsers do, and the library's own player.
        if shortest <= 0.0105 { return "players show frames of 10 ms or less for 100 ms" }
        let isRounded = shortest < 0.0195 && formats.contains(.gif)
        return isRounded ? "a GIF shows each frame for 20 ms at least" : nil
    }
}
