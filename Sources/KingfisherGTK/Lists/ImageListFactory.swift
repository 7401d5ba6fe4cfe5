#if GTK
import CGTK
public import Foundation
public import Kingfisher

/// Fills the cells of a GtkGridView or GtkListView with images.
///
/// Loads begin for cells that stay on screen for two frames, and are cancelled when a cell leaves
/// it, so fast scrolling loads next to nothing. Images in memory are shown at once. What lies ahead
/// of the scroll direction is loaded into the caches.
///
/// ```swift
/// let cells = ImageListFactory(cellSize: CGSize(width: 120, height: 120), itemCount: urls.count) {
///     .network(urls[$0])
/// }
/// let grid = gtk_grid_view_new(selectionModel, cells.makeFactory())
/// ```
///
/// Every list that uses it keeps it.
public final class ImageListFactory {
    /// Options of every load, over the shared manager's default options.
    public var options: KingfisherOptionsInfo = [] {
        didSet { parsedOptions = nil }
    }
    /// Shown in a cell while it has no image.
    public var placeholder: KFCrossPlatformImage?
    /// What shows in a cell that its image is loading.
    public var indicator = PictureIndicator.none
    /// How images lie in their cells.
    public var fit = PictureFit.cover
    /// How many items are loaded ahead of the scroll direction; 0 for none.
    public var prefetchCount = 24
    /// How many items the list has; set it when the model changes.
    public var itemCount: Int
    /// Called for every cell when it is made, to change its view.
    public var configure: ((ImageView) -> Void)?
    /// Called when a cell gets an item, with its position and its view.
    public var onBind: ((Int, ImageView) -> Void)?
    /// What loads the images.
    package var manager = KingfisherManager.shared

    private static let data = ObjectData<ImageListFactory>(name: "kingfisher-list")

    private let cellSize: CGSize
    private let source: (Int) -> Source?
    private var parsedOptions: KingfisherParsedOptionsInfo?
    private let prefetch = ListPrefetch()
    private var visible: [ObjectIdentifier: Int] = [:]
    private var isUpdatePlanned = false
    /// The options with which the cells load, and so what is loaded ahead.
    private(set) var cellOptions: KingfisherParsedOptionsInfo?

    /// Describes the cells of a list.
    ///
    /// - Parameters:
    ///   - cellSize: In logical pixels; images are decoded to it.
    ///   - itemCount: How many items the list has.
    ///   - source: Gives the source of the item at a position; nil leaves the cell empty.
    public init(cellSize: CGSize, itemCount: Int, source: @escaping (Int) -> Source?) {
        self.cellSize = cellSize
        self.itemCount = itemCount
        self.source = source
    }

    /// A GtkListItemFactory that fills its cells as described.
    ///
    /// - Returns: A reference that the caller owns; the constructors of list views take it over.
    /// - Precondition: GTK is initialised.
    public func makeFactory() -> OpaquePointer {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let factory = gtk_signal_list_item_factory_new() else {
            preconditionFailure("GTK has no memory")
        }
        let address = UnsafeMutableRawPointer(factory)
        Self.data.set(self, on: address)
        // Unowned: the factory owns this object.
        connect(address, "setup") { [unowned self] in setUp(OpaquePointer($0)) }
        connect(address, "bind") { [unowned self] in bind(OpaquePointer($0)) }
        connect(address, "unbind") { [unowned self] in unbind(OpaquePointer($0)) }
        return OpaquePointer(address)
    }

    // MARK: The life of a cell

    private func setUp(_ item: OpaquePointer) {
        let view = ImageView()
        view.fit = fit
        view.hasNaturalSize = false
        view.setSizeRequest(width: Int(cellSize.width), height: Int(cellSize.height))
        // A list shares its width out among the columns. Images are decoded to the cell's size, and
        // would have to be scaled in each frame to a few pixels more.
        gtk_widget_set_halign(view.widget, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(view.widget, GTK_ALIGN_CENTER)
        view.kf.loadStart = .whenVisible
        view.kf.indicator = indicator
        let controller = view.controller
        controller.sizing.fixedBox = cellSize
        controller.onVisibilityChange = { [weak self, weak controller] isVisible in
            guard let self, let controller, let position = controller.position else { return }
            visible[ObjectIdentifier(controller)] = isVisible ? position : nil
            if isVisible { cellOptions = controller.sized(loadOptions) }
            planPrefetch()
        }
        configure?(view)
        if let requested = view.sizeRequest { controller.sizing.fixedBox = requested }
        gtk_list_item_set_child(item, view.widget)
    }

    private func bind(_ item: OpaquePointer) {
        guard let picture = gtk_list_item_get_child(item) else { return }
        let controller = PictureController.of(UnsafeMutableRawPointer(picture))
        let position = Int(gtk_list_item_get_position(item))
        controller.position = position
        if controller.isInSight { visible[ObjectIdentifier(controller)] = position }
        _ = controller.load(
            source(position),
            placeholder: placeholder,
            options: loadOptions,
            by: manager,
            progress: nil,
            completion: nil
        )
        if let onBind { onBind(position, ImageView(picture: OpaquePointer(picture))) }
    }

    private func unbind(_ item: OpaquePointer) {
        guard let picture = gtk_list_item_get_child(item),
            let controller = PictureController.existing(of: UnsafeMutableRawPointer(picture))
        else { return }
        controller.position = nil
        visible[ObjectIdentifier(controller)] = nil
        controller.forgetLoad()
        controller.setOwnImage(nil)
    }

    /// Parsed once, because this is asked for at every bind.
    private var loadOptions: KingfisherParsedOptionsInfo {
        if let parsedOptions { return parsedOptions }
        let parsed = KingfisherParsedOptionsInfo(manager.defaultOptions + options)
        parsedOptions = parsed
        return parsed
    }

    // MARK: Ahead

    /// Looks at what is visible once the main loop has done what it is doing.
    private func planPrefetch() {
        guard prefetchCount > 0, !isUpdatePlanned else { return }
        isUpdatePlanned = true
        Task { [weak self] in
            guard let self else { return }
            isUpdatePlanned = false
            guard let first = visible.values.min(), let last = visible.values.max() else { return }
            guard let wanted = prefetch.move(to: first...last, of: itemCount, ahead: prefetchCount)
            else { return }
            prefetch.load(wanted, options: prefetchOptions, by: manager, source)
        }
    }

    /// The same variant as the cells load, whatever `configure` has made of them.
    private var prefetchOptions: KingfisherOptionsInfo {
        guard let cellOptions else { return options }
        var ahead = options + [.scaleFactor(cellOptions.scaleFactor)]
        ahead.append(.processor(cellOptions.processor))
        if cellOptions.cacheOriginalImage { ahead.append(.cacheOriginalImage) }
        return ahead
    }
}
#endif
