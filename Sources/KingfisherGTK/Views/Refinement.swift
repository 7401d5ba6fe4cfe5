#if GTK
import Kingfisher

/// Receives another size of an image that is shown already, from a load that no indicator shows.
///
/// The load holds it weakly: without it, the result is not shown.
final class Refinement: ImageBindingTarget {
    private let show: (KFCrossPlatformImage?) -> Void

    init(_ show: @escaping (KFCrossPlatformImage?) -> Void) { self.show = show }

    var shownImage: KFCrossPlatformImage? { nil }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {}

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) { show(image) }
}

extension KingfisherParsedOptionsInfo {
    /// The options for a load into a ``Refinement``.
    var refining: KingfisherParsedOptionsInfo {
        var options = self
        options.transition = .none
        options.onFailureImage = .none
        // Its first scans would be coarser than the image that is shown.
        options.progressiveJPEG = nil
        return options
    }
}
#endif
