package import FoundationEssentials
import Synchronization

/// Makes one task keep the RGB profiles of the files that it decodes, instead of converting to sRGB.
///
/// Applies to everything that `run` calls on its own thread. Task-local, because a user's processor
/// may stand between the load and the decoder. Profiles for grey and CMYK, damaged
/// ones and those above ``maxByteCount`` are converted nevertheless.
package final class ProfileScope: Sendable {
    @TaskLocal private static var current: ProfileScope?

    /// Larger profiles are not kept: those of displays and cameras have a few kilobytes.
    package static let maxByteCount = 256 << 10

    private let kept = Mutex<Data?>(nil)

    package init() {}

    /// The ICC profile of the pixels that were decoded; nil if they are in sRGB.
    package var profile: Data? { kept.withLock { $0 } }

    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Whether a profile is kept if possible.
    static var isActive: Bool { current != nil }

    /// Records that pixels stay in the colours of a profile.
    static func keep(_ profile: Data) { current?.kept.withLock { $0 = profile } }
}
