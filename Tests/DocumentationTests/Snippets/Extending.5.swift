// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

@MainActor
final class Tile: ImageWidget, ImageDisplaying, KingfisherCompatible {
    private(set) lazy var loader = ViewLoader(self)
    var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(loader) }
    private(set) var shownImage: KFCrossPlatformImage?
    private(set) var decodeBox: DecodeBox?
    private(set) var isInSight = false

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        shownImage = image
    }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        shownImage = content
    }

    /// Called by the toolkit after each layout.
    func layout(_ size: CGSize, isVisible: Bool) {
        decodeBox = DecodeBox(size: size, covers: true)
        if isVisible != isInSight {
            isInSight = isVisible
            if isVisible { loader.widgetDidAppear() } else { loader.widgetDidDisappear() }
        }
        loader.startPending(hasWaited: true)
        loader.reloadIfNeeded()
    }
}
