/// A view that shows one image, as the loads into it use it.
///
/// All methods are called on the main actor. A toolkit implements the protocol once for its
/// widgets; the loads decide when to call which method.
@MainActor
public protocol ImageBindingTarget: AnyObject, Sendable {
    /// The type of the placeholder shown during a load.
    associatedtype PlaceholderContent

    /// The current image.
    var shownImage: KFCrossPlatformImage? { get }

    /// Whether a placeholder is shown; targets whose placeholders are images need not know it.
    var showsPlaceholder: Bool { get }

    /// Extends the options of a load that starts, for example by a modifier that makes the texture of
    /// the image.
    func extended(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo

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
    public var showsPlaceholder: Bool { false }

    /// Returns the options.
    public func extended(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        options
    }

    /// Does nothing: an image placeholder is replaced by the image.
    public func removePlaceholder() {}

    /// Does nothing.
    public func loadDidStart() {}

    /// Does nothing.
    public func loadDidEnd() {}

    /// Shows the image without a transition.
    public func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        removePlaceholder()
        show(image, options: options)
        completion()
    }
}

/// One image of an object that is independent of this library.
///
/// Its placeholders are images. It supports neither indicators nor transitions.
@MainActor
final class ImageSlot: ImageBindingTarget, ImageLoading {
    /// The images of one object.
    enum Name: Hashable {
        case image
        case alternateImage
    }

    let binding = ImageBinding()
    private let read: () -> KFCrossPlatformImage?
    private let write: (KFCrossPlatformImage?, KingfisherParsedOptionsInfo) -> Void

    /// Makes a slot.
    ///
    /// The closures hold the object weakly, because values of the side table must not retain their
    /// objects.
    init<Base: AnyObject>(
        of base: Base,
        get: @escaping (Base) -> KFCrossPlatformImage?,
        set: @escaping (Base, KFCrossPlatformImage?, KingfisherParsedOptionsInfo) -> Void
    ) {
        self.read = { [weak base] in base.flatMap(get) }
        self.write = { [weak base] image, options in
            if let base { set(base, image, options) }
        }
    }

    var shownImage: KFCrossPlatformImage? { read() }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        write(content, options)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        write(image, options)
    }

    // MARK: The slots of all objects

    private static let table = SideTable<[Name: ImageSlot]>()

    /// The slot of an object, made at first use.
    static func named(_ name: Name, of base: AnyObject, orMake make: () -> ImageSlot) -> ImageSlot {
        var slots = table[base] ?? [:]
        if let slot = slots[name] { return slot }
        let slot = make()
        slots[name] = slot
        table[base] = slots
        return slot
    }
}
