#if GTK
import CKFGTKHeaders
import CKFGTK
public import Foundation
public import Kingfisher

/// Fills the cells of a GtkGridView or GtkListView with images.
///
/// Images in memory are shown immediately. Others are loaded if their cell will be on screen for at
/// least 80 ms at the present speed of scrolling, and cancelled when it leaves the screen. The items
/// ahead in the scroll direction are loaded into the caches in the order in which they will be seen;
/// those of a list that slows down up to the place where it will rest.
///
/// ```swift
/// let cells = ImageListFactory(cellSize: CGSize(width: 120, height: 120), itemCount: urls.count) {
///     .network(urls[$0])
/// }
/// let grid = gtk_grid_view_new(selectionModel, cells.makeFactory())
/// ```
///
/// For the items of any GListModel, with names, placeholders and menus, see
/// ``init(cellSize:model:image:)``. The images of selected cells have a frame.
///
/// Every list that uses the factory retains it.
public final class ImageListFactory {
    /// Options of every load; they override the shared manager's default options.
    public var options: KingfisherOptionsInfo = [] {
        didSet { parsedOptions = nil }
    }
    /// Shown in a cell without an image.
    public var placeholder: KFCrossPlatformImage?
    /// Shown in a cell whose load has failed; nil leaves the placeholder.
    public var failureImage: KFCrossPlatformImage? {
        didSet { parsedOptions = nil }
    }
    /// The indicator shown in a cell during a load.
    public var indicator = PictureIndicator.none
    /// How images are fitted to their cells.
    public var fit = PictureFit.cover
    /// The number of items to load ahead in the scroll direction; 0 for none.
    ///
    /// While the list moves, these are the items that come in sight next, and at most those of one
    /// more screen.
    public var prefetchCount = 24
    /// Whether loads follow the speed of scrolling.
    ///
    /// Otherwise a load starts once its cell has been on screen for two frames, and always the next
    /// ``prefetchCount`` items are loaded ahead.
    public var followsScrolling = true
    /// The number of items in the list; update it when the model changes.
    ///
    /// A factory with a model reads it from there, and ignores changes.
    public var itemCount: Int {
        get { model?.count ?? fixedCount }
        set {
            itemsChanged(from: min(fixedCount, newValue))
            fixedCount = newValue
        }
    }
    /// Called for every new cell, to configure its view.
    public var configure: ((ImageView) -> Void)?
    /// Called with the position and the view when an item is bound to a cell.
    public var onBind: ((Int, ImageView) -> Void)?
    /// Called with the position, the error and the view of a cell whose load has failed.
    ///
    /// The load is repeated when the cell is seen again, when the network returns while it is seen,
    /// and by ``retryFailedLoads()``.
    public var onFailure: ((Int, KingfisherError, ImageView) -> Void)?
    /// The manager that loads the images.
    package var manager = KingfisherManager.shared

    private let cellSize: CGSize
    private let describe: (ImageListItem) -> ListImage?
    private let model: ListModel?
    private var fixedCount = 0
    private var parsedOptions: KingfisherParsedOptionsInfo?
    private let prefetch = ListPrefetch()
    private weak var motion: ListMotion?
    private var bound: [ObjectIdentifier: ListCell] = [:]
    /// The controllers on screen; a list binds several times as many cells.
    private var seen: Set<ObjectIdentifier> = []
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
        fixedCount = itemCount
        model = nil
        describe = { ListImage(source: source($0.position)) }
    }

    /// Makes a factory for the cells of a list with any model.
    ///
    /// - Parameters:
    ///   - cellSize: In logical pixels; images are decoded to this size.
    ///   - model: The GListModel of the list, or its selection model; retained.
    ///   - image: Returns what the cell of an item shows; nil leaves it empty. Also called for items
    ///     ahead of the scroll direction.
    public init(
        cellSize: CGSize,
        model: OpaquePointer,
        image: @escaping (ImageListItem) -> ListImage?
    ) {
        self.cellSize = cellSize
        self.model = ListModel(model)
        describe = image
        self.model?.onChange = { [weak self] in self?.itemsChanged(from: $0) }
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
        var parsed = KingfisherParsedOptionsInfo(manager.defaultOptions + options)
        if let failureImage { parsed.onFailureImage = .some(failureImage) }
        parsedOptions = parsed
        return parsed
    }

    // MARK: Cells

    /// Loads the images of visible cells again that have failed.
    public func retryFailedLoads() {
        for cell in visible { cell.controller?.loader.retry() }
    }

    /// Describes and loads all cells again, after the data behind the items has changed.
    ///
    /// Cells follow changes of the model without it. An image that is loading or in a cache is not
    /// requested again, unless ``options`` say so.
    public func reload() {
        for cell in Array(bound.values) {
            if let controller = cell.controller { show(cell.item, in: controller) }
        }
        itemsChanged(from: 0, reusing: false)
    }

    /// Loads ahead what the positions from one on show now.
    private func itemsChanged(from position: Int, reusing: Bool = true) {
        prefetch.forget(from: position, reusing: reusing)
        planPrefetch()
    }

    private var visible: [ListCell] { seen.compactMap { bound[$0] } }

    private func show(_ item: OpaquePointer, in controller: PictureController) {
        controller.onceSeen = nil
        load(described(item, for: controller), of: item, in: controller)
    }

    /// Prepares a cell, and loads its image when it is seen: a list binds more cells than it shows.
    private func showOnceSeen(_ item: OpaquePointer, in controller: PictureController) {
        // The cells of a model have their names and menus before.
        let known = model.map { _ in described(item, for: controller) }
        controller.onceSeen = { [weak self, weak controller] in
            guard let self, let controller else { return }
            let image = known ?? described(item, for: controller)
            // A load of `onBind` stays, and so does its image where the list has none.
            let isEmpty = controller.content.image == nil
            guard controller.loader.isUnused, isEmpty || image?.source != nil else { return }
            load(image, of: item, in: controller)
        }
    }

    /// What a cell shows, of which it gets all but the image.
    private func described(
        _ item: OpaquePointer,
        for controller: PictureController
    ) -> ListImage? {
        let position = Int(gtk_list_item_get_position(item))
        let described = describe(
            ImageListItem(position: position, object: gtk_list_item_get_item(item))
        )
        // Without a model, `onBind` sets the text and the badge.
        if model != nil {
            controller.status.badge = described?.badge
            let picture = OpaquePointer(controller.picture)
            gtk_picture_set_alternative_text(picture, described?.label)
        }
        // Made at first use, because few lists have menus.
        if described?.menu != nil || controller.hasActions {
            controller.actions.contextMenu = described?.menu
        }
        return described
    }

    private func load(
        _ described: ListImage?,
        of item: OpaquePointer,
        in controller: PictureController
    ) {
        controller.loader.load(
            described?.source,
            placeholder: described?.placeholder ?? placeholder,
            options: loadOptions,
            by: manager,
            completion: { [weak self, weak controller] result in
                // The failure may be that of a load that has superseded this one.
                if case .failure(let error) = result, error.isNotCurrentTask { return }
                guard let self, let controller, let error = controller.loader.failure?.error,
                    let cell = bound[ObjectIdentifier(controller)], cell.item == item
                else { return }
                let view = ImageView(picture: OpaquePointer(controller.picture))
                onFailure?(cell.position, error, view)
            }
        )
    }

    private func source(at position: Int) -> Source? {
        guard let model else {
            return describe(ImageListItem(position: position, object: nil))?.source
        }
        // The model may have shrunk.
        guard let item = model.item(at: position) else { return nil }
        return withExtendedLifetime(item) {
            describe(ImageListItem(position: position, object: item.address))?.source
        }
    }

    // MARK: Prefetching

    /// Updates the prefetch after the current main loop iteration.
    private func planPrefetch() {
        guard prefetchCount > 0 else { return prefetch.endOutdated() }
        guard !isUpdatePlanned else { return }
        isUpdatePlanned = true
        Task { [weak self] in
            guard let self else { return }
            isUpdatePlanned = false
            updatePrefetch()
        }
    }

    private func updatePrefetch() {
        let positions = visible.map(\.position)
        guard let first = positions.min(), let last = positions.max() else {
            return prefetch.endOutdated()
        }
        let range = first...last
        let near = prefetch.move(to: range, of: itemCount, ahead: prefetchCount)
        let wanted: [(Int, ImageInterest.Deadline)]
        let movement = movement
        if let (forecast, layout) = movement, forecast.velocity != 0 {
            wanted = ListPrefetch.wanted(
                forecast,
                layout,
                of: itemCount,
                length: rowLength,
                ahead: prefetchCount
            )
        } else if let (forecast, _) = movement {
            let isBackward = forecast.isBackward
            wanted = ListPrefetch.next(prefetchCount, to: range, of: itemCount, isBackward)
                .map { ($0, .prefetch) }
        } else if let near {
            wanted = near.map { ($0, .prefetch) }
        } else {
            return
        }
        prefetch.load(
            wanted,
            keeping: range,
            options: prefetchOptions,
            modifier: { TextureModifier(extending: $0, of: self.manager) },
            by: manager,
            source: source(at:)
        )
    }

    // MARK: Scrolling

    /// The movement of the list; nil if loads do not follow it.
    private var movement: (ScrollForecast, ListLayout)? {
        guard followsScrolling, let motion, let layout = motion.layout(count: itemCount) else {
            return nil
        }
        return (motion.forecast, layout)
    }

    private var rowLength: Double { Double(max(cellSize.width, cellSize.height)) }

    /// The deadline of a cell's image; nil if it is not worth loading.
    private func deadline(
        of position: Int,
        _ movement: (ScrollForecast, ListLayout)?
    ) -> ImageInterest.Deadline? {
        guard let (forecast, layout) = movement, forecast.velocity != 0 else { return .now }
        return forecast.sight(of: position, rowLength, in: layout).deadline
    }

    /// Follows the motion of the list in which a cell has appeared.
    private func follow(_ motion: ListMotion?) {
        guard let motion, motion !== self.motion else { return }
        self.motion?.onMove = nil
        self.motion = motion
        motion.onMove = { [weak self] in self?.moved() }
    }

    private func moved() {
        guard followsScrolling else { return }
        let movement = movement
        // The others have their images.
        for cell in visible {
            guard let loader = cell.controller?.loader, loader.isLoading || loader.pending != nil
            else { continue }
            let position = cell.position
            let deadline = deadline(of: position, movement) ?? .gone
            loader.interest?.deadline = deadline
            prefetch.setDeadline(deadline, of: position)
        }
        planPrefetch()
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
        kf_widget_show_selection(view.widget)
        view.kf.loadStart = .whenVisible
        view.kf.indicator = indicator
        let controller = view.controller
        controller.sizing.fixedBox = cellSize
        let key = ObjectIdentifier(controller)
        controller.sight.onChange = { [weak self, weak controller] isVisible in
            guard let self else { return }
            if isVisible { seen.insert(key) } else { seen.remove(key) }
            guard let controller, bound[key] != nil else { return }
            if isVisible {
                cellOptions = controller.loader.sized(loadOptions, for: controller.sizing.box)
                follow(ListMotion.of(controller.picture.asWidget))
            }
            planPrefetch()
        }
        controller.loader.interest = ImageInterest()
        controller.loader.mayStart = { [weak self, weak controller] in
            guard let self, let controller, let cell = bound[ObjectIdentifier(controller)] else {
                return false
            }
            return followsScrolling
                ? deadline(of: cell.position, movement) != nil : controller.sight.frames > 2
        }
        controller.loader.onRetry = { [weak self, weak controller] in
            guard let self, let controller, let cell = bound[ObjectIdentifier(controller)] else {
                return
            }
            show(cell.item, in: controller)
        }
        configure?(view)
        if let requested = view.sizeRequest { controller.sizing.fixedBox = requested }
        gtk_list_item_set_child(item, view.widget)
    }

    func bind(_ item: OpaquePointer) {
        guard let picture = gtk_list_item_get_child(item) else { return }
        let controller = PictureController.of(UnsafeMutableRawPointer(picture))
        bound[ObjectIdentifier(controller)] = ListCell(controller, item)
        if controller.loader.loadsWhenVisible, !controller.sight.isInSight {
            showOnceSeen(item, in: controller)
        } else {
            show(item, in: controller)
        }
        onBind?(Int(gtk_list_item_get_position(item)), ImageView(picture: OpaquePointer(picture)))
        // Not before, when it would write the name of the former item, too.
        controller.status.namesCell = true
    }

    func unbind(_ item: OpaquePointer) {
        guard let picture = gtk_list_item_get_child(item),
            let controller = PictureController.existing(of: UnsafeMutableRawPointer(picture))
        else { return }
        controller.status.namesCell = false
        controller.onceSeen = nil
        bound[ObjectIdentifier(controller)] = nil
        controller.loader.clear()
    }

    func tearDown(_ item: OpaquePointer) {}
}
#endif
