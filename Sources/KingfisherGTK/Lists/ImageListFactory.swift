#if GTK
import CGTK
public import Foundation
public import Kingfisher

/// Fills the cells of a GtkGridView or GtkListView with images.
///
/// A load starts once a cell has been on screen for two frames, and is cancelled when the cell
/// leaves the screen, so fast scrolling loads hardly anything. Images in memory are shown
/// immediately. The items ahead in the scroll direction are loaded into the caches.
///
/// ```swift
/// let cells = ImageListFactory(cellSize: CGSize(width: 120, height: 120), itemCount: urls.count) {
///     .network(urls[$0])
/// }
/// let grid = gtk_grid_view_new(selectionModel, cells.makeFactory())
/// ```
///
/// Every list that uses the factory retains it.
public final class ImageListFactory {
    /// Options of every load; they override the shared manager's default options.
    public var options: KingfisherOptionsInfo = [] {
        didSet { parsedOptions = nil }
    }
    /// Shown in a cell without an image.
    public var placeholder: KFCrossPlatformImage?
    /// The indicator shown in a cell during a load.
    public var indicator = PictureIndicator.none
    /// How images are fitted to their cells.
    public var fit = PictureFit.cover
    /// The number of items to load ahead in the scroll direction; 0 for none.
    public var prefetchCount = 24
    /// The number of items in the list; update it when the model changes.
    public var itemCount: Int
    /// Called for every new cell, to configure its view.
    public var configure: ((ImageView) -> Void)?
    /// Called with the position and the view when an item is bound to a cell.
    public var onBind: ((Int, ImageView) -> Void)?
    /// The manager that loads the images.
    package var manager = KingfisherManager.shared

    private let cellSize: CGSize
    private let source: (Int) -> Source?
    private var parsedOptions: KingfisherParsedOptionsInfo?
    private let prefetch = ListPrefetch()
    private var visible: [ObjectIdentifier: Int] = [:]
    private var isUpdatePlanned = false
    /// The options that the cells load with; prefetching uses the same.
    private(set) var cellOptions: KingfisherParsedOptionsInfo?

    /// Makes a factory for the cells of a list.
    ///
    /// - Parameters:
    ///   - cellSize: In logical pixels; images are decoded to this size.
    ///   - itemCount: The number of items in the list.
    ///   - source: Returns the source of the item at a position; nil leaves the cell empty.
    public init(cellSize: CGSize, itemCount: Int, source: @escaping (Int) -> Source?) {
        self.cellSize = cellSize
        self.itemCount = itemCount
        self.source = source
    }

    /// Makes a GtkListItemFactory for a list view.
    ///
    /// - Returns: A reference owned by the caller; the constructors of list views take it over.
    /// - Precondition: GTK is initialised.
    public func makeFactory() -> OpaquePointer {
        makeItemFactory()
    }

    /// Cached, because it is used for every bind.
    private var loadOptions: KingfisherParsedOptionsInfo {
        if let parsedOptions { return parsedOptions }
        let parsed = KingfisherParsedOptionsInfo(manager.defaultOptions + options)
        parsedOptions = parsed
        return parsed
    }

    // MARK: Prefetching

    /// Updates the prefetch after the current main loop iteration.
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

    /// The options of the cells' loads, including changes made by `configure`.
    private var prefetchOptions: KingfisherOptionsInfo {
        guard let cellOptions else { return options }
        var ahead = options + [.scaleFactor(cellOptions.scaleFactor)]
        ahead.append(.processor(cellOptions.processor))
        if cellOptions.cacheOriginalImage { ahead.append(.cacheOriginalImage) }
        return ahead
    }
}

extension ImageListFactory: ListItemHandler {
    func setUp(_ item: OpaquePointer) {
        let view = ImageView()
        view.fit = fit
        view.hasNaturalSize = false
        view.setSizeRequest(cellSize)
        // A list distributes its width among the columns. Images are decoded to the cell's size; a
        // slightly larger view would have to scale them in each frame.
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

    func bind(_ item: OpaquePointer) {
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

    func unbind(_ item: OpaquePointer) {
        guard let picture = gtk_list_item_get_child(item),
            let controller = PictureController.existing(of: UnsafeMutableRawPointer(picture))
        else { return }
        controller.position = nil
        visible[ObjectIdentifier(controller)] = nil
        controller.clear()
    }

    func tearDown(_ item: OpaquePointer) {}
}
#endif
