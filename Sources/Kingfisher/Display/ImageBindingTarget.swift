/// What an ``ImageBinding`` drives: something that can show one image.
///
/// The methods are called on the main actor alone. A toolkit implements this protocol once for its
/// widgets; the rules about when to call what are the binding's.
@MainActor
package protocol ImageBindingTarget: AnyObject, Sendable {
    /// What can stand in the image's place while it loads.
    associatedtype PlaceholderContent

    /// The image that is shown now.
    var shownImage: KFCrossPlatformImage? { get }

    /// Whether a placeholder is shown that is no image.
    var showsPlaceholder: Bool { get }

    /// Puts a placeholder in; nil clears what is shown.
    func showPlaceholder(_ content: PlaceholderContent?, options: KingfisherParsedOptionsInfo)

    /// Takes the placeholder away, because an image is set next.
    func removePlaceholder()

    /// Shows an image, or nothing.
    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// A load has begun; calls nest, as loads can supersede each other.
    func loadDidStart()

    /// A load has ended; called once for every start.
    func loadDidEnd()

    /// Takes the placeholder away and shows an image by the transition of the options.
    ///
    /// Calls `completion` once when the image is wholly there.
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

    /// Shows the image at once.
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
