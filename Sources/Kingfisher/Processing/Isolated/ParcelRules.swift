import Foundation
import KFCodecs

/// What the answer of a worker may contain besides the pixels of one image.
///
/// A request for a still image is never answered with a file: the worker does not send one, and the
/// program refuses it.
struct ParcelRules: Sendable {
    /// The sizes that the image may have.
    let limits: ResultLimits
    /// Whether the file of the request may be attached, as that of the image.
    private(set) var keepsRequestFile = false
    /// The formats of a file that the worker may have made.
    private(set) var fileFormats: Set<FileFormat> = []
    /// Whether the pixels may have a colour profile.
    private(set) var keepsProfile = false
    /// Whether the file may end early.
    private(set) var acceptsTruncated = false
    private let creating: ImageCreatingOptions

    /// A bitmap and nothing else.
    static func still(_ limits: ResultLimits) -> ParcelRules {
        ParcelRules(limits: limits, creating: ImageCreatingOptions())
    }

    private init(limits: ResultLimits, creating: ImageCreatingOptions) {
        (self.limits, self.creating) = (limits, creating)
    }

    /// The contents for a processor.
    ///
    /// - Parameters:
    ///   - processor: One that ``PortableProcessors`` contain.
    ///   - options: Those of the request.
    init(_ processor: any ImageProcessor, _ options: IsolatedOptions) {
        let parsed = options.parsed(with: processor)
        self.init(limits: options.limits, creating: parsed.imageCreatingOptions)
        keepsProfile = Self.keepsProfile(processor)
        acceptsTruncated = options.acceptsTruncated
        keepsRequestFile = add(processor)
    }

    /// Whether an animation may have been made with these options.
    ///
    /// One whose frames together are too large is not preloaded.
    func allow(_ options: ImageCreatingOptions) -> Bool {
        var other = options
        if creating.preloadAll { other.preloadAll = true }
        return other == creating
    }

    /// The image without what an answer must not contain: a step that changes nothing returns its
    /// input, with the file.
    func reduced(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        keepsRequestFile || !fileFormats.isEmpty ? image : image.kf.still
    }

    /// Adds the files that a processor makes; returns whether it passes on that of its input.
    private mutating func add(_ processor: any ImageProcessor) -> Bool {
        switch Traits(of: processor).kind {
        case .decoding: return true
        case .drawing: return Traits(of: processor).keepsFile
        case .profile(let inner): return add(inner)
        case .frames(let inner, let format):
            if !creating.onlyFirstFrame {
                let format = format.map { $0.fileFormat }
                fileFormats.formUnion(
                    format.map { [$0].compactMap(\.self) } ?? [.gif, .webp, .avif]
                )
            }
            // It hands stills over.
            return add(inner)
        case .chain(let steps): return steps.reversed().allSatisfy { add($0) }
        case .file, .custom: return false
        }
    }

    private static func keepsProfile(_ processor: any ImageProcessor) -> Bool {
        switch Traits(of: processor).kind {
        case .profile: true
        case .frames(let inner, _): keepsProfile(inner)
        case .chain(let steps): steps.contains { keepsProfile($0) }
        default: false
        }
    }
}
