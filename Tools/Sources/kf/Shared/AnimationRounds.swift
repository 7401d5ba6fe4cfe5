import Foundation
import Kingfisher
import Synchronization

/// How often an animation plays.
enum AnimationRounds {
    private static let isNoted = Mutex(false)

    /// Says, once in a run, that an AVIF plays more often than it should: libavif before 1.0 does not
    /// store the number.
    ///
    /// - Parameters:
    ///   - count: How often it should play; 0 is forever, and nil is unknown.
    ///   - file: The file that was written.
    ///   - isolates: Whether C libraries read the header in a worker process only.
    static func note(_ count: Int?, of file: Data, isolates: Bool) async {
        guard let count, count > 0, LibraryLog.shared.level != .quiet,
            // Without a readable header nothing is known.
            let written = try? await ImageFileInfo.read(file, isolates: isolates).loopCount,
            written != count,
            isNoted.withLock({ isNoted in
                defer { isNoted = true }
                return !isNoted
            })
        else { return }
        let rounds = count == 1 ? "once" : "\(count) times"
        Terminal.note("kf: the AVIF plays forever, not \(rounds): libavif is older than 1.0")
    }
}
