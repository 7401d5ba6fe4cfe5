/// The interface between an ``ImageBinding`` and a view that shows one image.
///
/// All methods are called on the main actor. A toolkit implements the protocol once for its
/// widgets; the binding decides when to call which method.
@MainActor
package protocol ImageBindingTarget: AnyObject, Sendable {
    /// The type of the placeholder shown during a load.
    associatedtype PlaceholderContent

    /// The current image.
    var shownImage: KFCrossPlatformImage? { get }

    /// Whether a placeholder other than an image is shown.
    var showsPlaceholder: Bool { get }

    /// Shows a placeholder; nil clears the view.
    func showPlaceholder(_ content: PlaceholderContent?, options: KingfisherParsedOptionsInfo)

    /// Removes the placeholder, because an image is set next.
    func removePlaceholder()

    /// Shows an image; nil shows nothing.
    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// A load has started. Called again for each load that supersedes another before it has ended.
    func loadDidStart()

    /// A load has ended; called once for each start.
    func loadDidEnd()

    /// Removes the placeholder and shows an image with the transition of the options.
    ///
    /// - Parameters:
    ///   - image: The image to show.
    ///   - options: The options of the load.
    ///   - completion: Called once when the transition is complete.
    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    )
}

extension ImageBindingTarget {
    /// False: the placeholders of most targets are images.
    package var showsPlaceholder: Bool { false }

    /// Does nothing: an image placeholder is replaced by the image.
    package func removePlaceholder() {}

    /// Does nothing.
    package func loadDidStart() {}

    /// Does nothing.
    package func loadDidEnd() {}

    /// Shows the image without a transition.
    package func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        removePlaceholder()
        show(image, options: options)
        completion()
    }
}
