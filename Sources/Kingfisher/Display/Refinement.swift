/// Receives another size of an image that is shown already, from a load that no indicator shows.
///
/// The load holds it weakly: without it, the result is not shown.
package final class Refinement: ImageBindingTarget {
    private let show: (KFCrossPlatformImage?) -> Void

    /// - Parameter show: Shows the image.
    package init(_ show: @escaping (KFCrossPlatformImage?) -> Void) { self.show = show }

    package var shownImage: KFCrossPlatformImage? { nil }

    package func showPlaceholder(
        _ content: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo
    ) {}

    package func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        show(image)
    }
}

/// An image and the load that it comes from.
@MainActor
struct KeptImage {
    private weak var image: KFCrossPlatformImage?
    private let load: PendingLoad?
    /// Whether the image is that of a failure.
    private let isOfFailure: Bool

    init(
        _ image: KFCrossPlatformImage? = nil,
        _ load: PendingLoad? = nil,
        isOfFailure: Bool = false
    ) {
        self.image = image
        self.load = load
        self.isOfFailure = isOfFailure
    }

    /// Whether the image that is shown is that of a failure.
    func isOfFailure(_ shown: KFCrossPlatformImage) -> Bool { isOfFailure && shown === image }

    /// The load, if its image is still shown.
    func load(of shown: KFCrossPlatformImage?) -> PendingLoad? {
        shown != nil && shown === image ? load : nil
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options for a load into a ``Refinement``.
    package var refining: KingfisherParsedOptionsInfo {
        var options = self
        options.transition = .none
        options.onFailureImage = .none
        // Its first scans would be coarser than the image that is shown.
        options.progressiveJPEG = nil
        return options
    }
}
