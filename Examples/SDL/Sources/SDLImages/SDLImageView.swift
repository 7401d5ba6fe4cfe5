import CSDL2
import Foundation
import Kingfisher

/// A rectangle of an SDL window that shows one image, loaded with `view.kf.setImage(with:)`.
///
/// Images are decoded to the rectangle's size. Loads start when the view has been in sight for two
/// frames, end when it leaves the window, and are repeated when it returns.
@MainActor
package final class SDLImageView: ImageWidget, ImageDisplaying, KingfisherCompatible {
    /// The loads of the image.
    package private(set) lazy var loader = ViewLoader(self)
    /// The place in the window, in logical pixels.
    package var frame = SDL_Rect() {
        didSet { scene.needsFrame = true }
    }
    /// Whether a part of the view is in the window.
    package private(set) var isInSight = false
    /// The current image or placeholder.
    package private(set) var shownImage: KFCrossPlatformImage?
    /// Kept, because the textures end with its renderer.
    private let scene: SDLScene
    private var texture: OpaquePointer?
    /// The frames for which the view has been in sight.
    private var frames = 0

    /// Adds a view to a window, drawn over the earlier ones, until it is released.
    package init(in scene: SDLScene) {
        self.scene = scene
        loader.loadStart = .whenVisible
        scene.entries.append(SDLScene.Entry(view: self))
    }

    isolated deinit {
        kf.cancelDownloadTask()
        releaseTexture()
    }

    // MARK: ImageWidget

    package var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(loader) }

    package var decodeBox: DecodeBox? {
        guard frame.w > 0, frame.h > 0 else { return nil }
        return DecodeBox(size: CGSize(width: Int(frame.w), height: Int(frame.h)), covers: true)
    }

    package var density: Double { scene.density }

    package func requestLayout() { scene.needsFrame = true }

    package func setNeedsFrames(_ needsFrames: Bool) { if needsFrames { requestLayout() } }

    package func showPlaceholder(
        _ content: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo
    ) {
        show(content, options: options)
    }

    package func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        guard image !== shownImage else { return }
        shownImage = image
        releaseTexture()
        scene.needsFrame = true
    }

    // MARK: Frames

    /// Tells the loads where the view is.
    fileprivate func layOut(in window: SDL_Rect) {
        var (own, window) = (frame, window)
        let isSeen = SDL_HasIntersection(&own, &window) == SDL_TRUE
        if isSeen != isInSight {
            (isInSight, frames) = (isSeen, 0)
            if isSeen { loader.widgetDidAppear() } else { loader.widgetDidDisappear() }
        }
        loader.startPending(hasWaited: frames >= 2)
        if isSeen { loader.reloadIfNeeded() }
        // Only a load that waits needs them.
        if isSeen, frames < 2 {
            frames += 1
            scene.needsFrame = true
        }
    }

    /// Draws the middle of the image, so that it covers the view.
    fileprivate func draw(by renderer: OpaquePointer) {
        guard let image = shownImage, frame.w > 0, frame.h > 0 else { return }
        if texture == nil { texture = Self.makeTexture(of: image, by: renderer) }
        let own = (width: Double(image.pixelWidth), height: Double(image.pixelHeight))
        let scale = min(own.width / Double(frame.w), own.height / Double(frame.h))
        let (width, height) = (Double(frame.w) * scale, Double(frame.h) * scale)
        var source = SDL_Rect(
            x: Int32((own.width - width) / 2),
            y: Int32((own.height - height) / 2),
            w: max(1, Int32(width)),
            h: max(1, Int32(height))
        )
        var place = frame
        SDL_RenderCopy(renderer, texture, &source, &place)
    }

    private static func makeTexture(
        of image: KFCrossPlatformImage,
        by renderer: OpaquePointer
    ) -> OpaquePointer? {
        let (width, height) = (Int32(image.pixelWidth), Int32(image.pixelHeight))
        let texture = SDL_CreateTexture(
            renderer,
            SDL_PIXELFORMAT_RGBA32.rawValue,
            Int32(SDL_TEXTUREACCESS_STATIC.rawValue),
            width,
            height
        )
        image.withPremultipliedRGBA { pixels, bytesPerRow in
            _ = SDL_UpdateTexture(texture, nil, pixels.baseAddress, Int32(bytesPerRow))
        }
        // The background of transparent images stays dark: SDL's own mode is for straight alpha.
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND)
        return texture
    }

    private func releaseTexture() {
        if let texture { SDL_DestroyTexture(texture) }
        texture = nil
    }
}

/// The views of an SDL window.
@MainActor
package final class SDLScene {
    /// Whether ``drawFrame()`` has something to do.
    fileprivate var needsFrame = true
    package let renderer: OpaquePointer
    private let window: OpaquePointer

    fileprivate struct Entry {
        weak var view: SDLImageView?
    }

    fileprivate var entries: [Entry] = []
    private var views: [SDLImageView] { entries.compactMap(\.view) }

    /// Opens a window; nil without a display.
    package init?(title: String, width: Int32, height: Int32) {
        let flags = SDL_WINDOW_RESIZABLE.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue
        guard SDL_Init(SDL_INIT_VIDEO) == 0,
            let window = SDL_CreateWindow(title, 0, 0, width, height, flags),
            let renderer = SDL_CreateRenderer(window, -1, 0)
        else { return nil }
        (self.window, self.renderer) = (window, renderer)
    }

    isolated deinit {
        SDL_DestroyRenderer(renderer)
        SDL_DestroyWindow(window)
    }

    /// The size of the window in logical pixels.
    package var size: (width: Int32, height: Int32) {
        var size: (width: Int32, height: Int32) = (0, 0)
        SDL_GetWindowSize(window, &size.width, &size.height)
        return size
    }

    var density: Double {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetRendererOutputSize(renderer, &width, &height)
        return size.width > 0 && width > 0 ? Double(width) / Double(size.width) : 1
    }

    /// Starts the loads of views that are in sight, and draws the window, if anything has changed.
    package func drawFrame() {
        guard needsFrame else { return }
        needsFrame = false
        entries.removeAll { $0.view == nil }
        let window = SDL_Rect(x: 0, y: 0, w: size.width, h: size.height)
        for view in views { view.layOut(in: window) }
        SDL_RenderSetScale(renderer, Float(density), Float(density))
        SDL_SetRenderDrawColor(renderer, 32, 32, 32, 255)
        SDL_RenderClear(renderer)
        for view in views where view.isInSight { view.draw(by: renderer) }
        SDL_RenderPresent(renderer)
    }

    /// Handles events, work of the main actor and frames, until the program quits.
    package func run(each frame: () -> Bool, on event: (SDL_Event) -> Void) {
        while frame() {
            var next = SDL_Event()
            while SDL_PollEvent(&next) != 0 {
                if next.type == SDL_QUIT.rawValue { return }
                if next.type == SDL_WINDOWEVENT.rawValue { needsFrame = true }
                event(next)
            }
            // Loads complete on the main queue, which this loop runs.
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1.0 / 60))
            drawFrame()
        }
    }
}
