#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Views that load, hide, scroll and are destroyed in random order, also from callbacks.
    ///
    /// `Scripts/memory.sh --gtk` runs them with the address sanitizer; `KF_FUZZ_SECONDS` sets for
    /// how long.
    @Suite(.timeLimit(.minutes(5)))
    struct StressTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        @Test func `every load of views in random use ends once, and every view is freed`()
            async throws
        {
            for seed in FuzzSeeds(usually: 4) {
                let scene = try StressScene(seed: seed)
                for _ in 0..<150 { await scene.step() }
                await scene.close()
                #expect(!scene.ends.isEmpty)
                #expect(scene.ends.allSatisfy { $0 == 1 }, "with KF_FUZZ_SEED=\(seed)")
            }
        }

        @Test func `two hundred views destroyed while they load leave nothing`() async throws {
            let bench = try TestBench()
            let gate = ServerGate()
            bench.server.fallback { _ in .held(gate, then: .status(404)) }
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            let stage = Stage(box)
            let loadings = (0..<200).map { _ in Loading() }
            var controllers: [WeakController] = []
            for (number, loading) in loadings.enumerated() {
                let view = ImageView()
                view.setSizeRequest(width: 10, height: 10)
                view.image = .solid(.pureRed)
                gtk_box_append(box.asBox, view.widget)
                controllers.append(WeakController(value: view.controller))
                _ = view.controller.loader.load(
                    .network(bench.server.url("/\(number)")),
                    placeholder: nil,
                    options: KingfisherParsedOptionsInfo([.keepCurrentImageWhileLoading]),
                    by: bench.manager,
                    progress: nil,
                    completion: { loading.results.append($0) }
                )
            }
            await stage.paint()
            stage.close()
            await Stage.run { loadings.allSatisfy { $0.results.count == 1 } }
            await Stage.run { controllers.allSatisfy { $0.value == nil } }
            for loading in loadings { #expect(try loading.error().isCancellation) }
            gate.open()
        }

        @Test func `of fifty URLs on one view the last is shown`() async throws {
            let bench = try TestBench()
            let view = ImageView()
            let stage = Stage(view.widget)
            await stage.paint()
            let loadings = (0..<50).map { number in
                let loading = Loading()
                view.controller.loader.load(
                    bench.serveJPEG("/\(number).jpg", width: 20 + number, height: 20),
                    by: bench.manager,
                    into: loading
                )
                return loading
            }
            await stage.run { loadings.allSatisfy { $0.results.count == 1 } }
            #expect(view.image?.pixelWidth == 69)
            for loading in loadings.dropLast() {
                #expect(try loading.error().isNotCurrentTask)
            }
        }
    }
}

private struct WeakController {
    weak var value: PictureController?
}

/// A scrolled column of views, and the random operations on them.
private final class StressScene {
    /// A view in the column, which owns it.
    private struct Item {
        /// The widget in the column: the picture, or the KFImage or button around it.
        let top: UnsafeMutablePointer<GtkWidget>
        let picture: OpaquePointer
        /// The Swift object, if the test retains it.
        var handle: AnyObject?
    }

    /// The number of completions of each load.
    private(set) var ends: [Int] = []

    private let bench: TestBench
    private let stage: Stage
    private let column: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    private let gate = Locked(ServerGate())
    private var random: SplitMix
    private var items: [Item] = []
    private var controllers: [WeakController] = []
    private var tasks: [DownloadTask] = []
    private var isClosing = false

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        bench = try TestBench()
        let window = try #require(gtk_scrolled_window_new())
        column = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        adjustment = try #require(gtk_scrolled_window_get_vadjustment(OpaquePointer(window)))
        gtk_scrolled_window_set_child(OpaquePointer(window), column)
        stage = Stage(window)
        for number in 0..<6 { bench.serveJPEG("/\(number)", width: 80 + number, height: 60) }
        bench.server.route("/slow") { [gate] _ in
            .held(gate.value, then: .body(TestImage.jpeg(), type: "image/jpeg"))
        }
    }

    func step() async {
        if chance(8) {
            await stage.paint(frames: 1)
        } else if chance(3) {
            Stage.dispatchPending()
            await Task.yield()
        }
        if items.count < 10, chance(3) { return addView() }
        guard let item = items.randomElement(using: &random) else { return addView() }
        operations[Int.random(in: 0..<operations.count, using: &random)](self, item)
    }

    /// Removes all views, and waits until their loads have ended and they are freed.
    func close() async {
        isClosing = true
        stage.setAnimations(enabled: true)
        while !items.isEmpty { removeView() }
        tasks = []
        releaseSlow()
        await stage.run { ends.allSatisfy { $0 > 0 } && controllers.allSatisfy { $0.value == nil } }
        stage.close()
    }

    // MARK: Operations

    private typealias Operation = (StressScene, Item) -> Void

    /// One of them runs in each step; loads three times as often as the others.
    private let operations: [Operation] = [
        { $0.load($1) }, { $0.load($1) }, { $0.load($1) },
        { $0.controller($1).loader.cancel() },
        { scene, _ in scene.tasks.randomElement(using: &scene.random)?.cancel() },
        { gtk_widget_set_visible($1.top, 1 - gtk_widget_get_visible($1.top)) },
        { $0.showOwnImage($1) },
        { scene, _ in scene.removeView() },
        { scene, _ in
            let height = gtk_adjustment_get_upper(scene.adjustment)
            gtk_adjustment_set_value(
                scene.adjustment,
                Double.random(in: 0...max(1, height), using: &scene.random)
            )
        },
        { scene, item in
            let side = Int32.random(in: 10...90, using: &scene.random)
            gtk_widget_set_size_request(item.top, side, side)
        },
        { $0.changeIndicator($1) },
        { kf($1.picture).loadStart = $0.chance(2) ? .whenVisible : .immediately },
        { $0.changeActions($1) },
        { _, item in gtk_picture_set_paintable(item.picture, nil) },
        { scene, item in
            guard let image = item.handle as? KFImage else { return }
            image.retry()
            image.bind(to: scene.url())
        },
        { scene, _ in scene.stage.setAnimations(enabled: scene.chance(2)) },
        { scene, _ in scene.releaseSlow() },
    ]

    private func addView() {
        let made = makeView()
        let top = UnsafeMutableRawPointer(made.top).assumingMemoryBound(to: GtkWidget.self)
        gtk_box_append(column.asBox, top)
        items.append(made)
        let controller = controller(made)
        controllers.append(WeakController(value: controller))
        controller.content.animation.onEvent = { [weak self] _ in self?.react() }
    }

    private func makeView() -> Item {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let image = KFImage(url())
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .playButton()
                .loadingProgress()
                .cancelOnDisappear(chance(2))
                .onFailureView { [weak self] _ in
                    self?.react()
                    return UnsafeMutablePointer(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
                }
                .onFailure { [weak self] _ in self?.react() }
                .onSuccess { [weak self] _ in self?.react() }
            return Item(top: image.widget, picture: image.view.gtkPicture, handle: image)
        case 1:
            let button = ImageButton()
            let isAlternate = chance(2)
            let images = ButtonController.of(button.gtkButton)
            let view = isAlternate ? images.alternate : images.image
            return Item(top: button.widget, picture: view.gtkPicture)
        case 2:
            let view = AnimatedPictureView()
            return Item(top: view.widget, picture: view.gtkPicture, handle: chance(2) ? view : nil)
        default:
            guard let widget = gtk_picture_new() else { preconditionFailure("no memory") }
            return Item(top: widget, picture: OpaquePointer(widget))
        }
    }

    private func removeView() {
        guard let index = items.indices.randomElement(using: &random) else { return }
        let item = items.remove(at: index)
        gtk_box_remove(column.asBox, item.top)
    }

    private func load(_ item: Item) {
        var options = KingfisherParsedOptionsInfo(nil)
        if chance(2) { options.transition = .fade(0.02) }
        options.forceTransition = chance(3)
        options.keepCurrentImageWhileLoading = chance(2)
        options.cancelWhenSuperseded = chance(2)
        if chance(4) { options.onFailureImage = .solid(.pureRed) }
        let number = ends.count
        ends.append(0)
        let task = controller(item).loader.load(
            chance(12) ? nil : .network(url()),
            placeholder: chance(2) ? .solid(.pureBlue) : nil,
            options: options,
            by: bench.manager,
            progress: nil,
            completion: { [weak self] _ in
                self?.ends[number] += 1
                LoopEvents.wake()
                self?.react()
            }
        )
        if let task { tasks.append(task) }
    }

    private func showOwnImage(_ item: Item) {
        let images: [KFCrossPlatformImage?] = [
            nil, .solid(.pureGreen), .frames([.pureRed, .pureGreen], each: 0.01),
        ]
        controller(item).loader.setImage(images[Int.random(in: 0..<3, using: &random)])
    }

    private func changeIndicator(_ item: Item) {
        kf(item.picture).indicator =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .none
            case 1: .spinner
            case 2: .image(.solid(.pureBlue))
            default: .custom { [weak self] _ in self?.react() }
            }
    }

    private func changeActions(_ item: Item) {
        kf(item.picture).isDraggable = chance(2)
        kf(item.picture).contextMenu = chance(3) ? nil : PictureMenu()
    }

    /// A caller's code in a callback: sometimes loads again or destroys a view.
    private func react() {
        guard !isClosing, let item = items.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: load(item)
        case 1: removeView()
        case 2: controller(item).loader.setImage(nil)
        case 3: controller(item).loader.cancel()
        default: break
        }
    }

    // MARK: Helpers

    private func releaseSlow() {
        let old = gate.value
        gate.change { $0 = ServerGate() }
        old.open()
    }

    private func url() -> URL {
        let path =
            chance(8) ? "slow" : chance(8) ? "missing" : "\(Int.random(in: 0..<6, using: &random))"
        return bench.server.url("/\(path)")
    }

    private func controller(_ item: Item) -> PictureController {
        .of(UnsafeMutableRawPointer(item.picture))
    }

    /// True once in `count` times.
    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
#endif
