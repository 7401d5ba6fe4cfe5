import CSDL2
import Foundation
import Kingfisher

/// A grid of square cells that scrolls; cells that leave the window show other items.
@MainActor
package final class ImageGrid {
    /// The position of the window in the grid, in logical pixels.
    package var scrollPosition: Int32 = 0 {
        didSet {
            scrollPosition = max(0, min(scrollPosition, rows * side - scene.size.height))
            layOut()
        }
    }
    /// The cells in sight by their items.
    package private(set) var cells: [Int: SDLImageView] = [:]
    /// Called with an item and the result of its load.
    package var onEnd: ((Int, Result<RetrieveImageResult, KingfisherError>) -> Void)?
    private var spare: [SDLImageView] = []
    private let scene: SDLScene
    private let (urls, options): ([URL], KingfisherOptionsInfo)
    private let (columns, side): (Int, Int32)

    /// Fills a window with the images of URLs.
    package init(
        in scene: SDLScene,
        columns: Int,
        side: Int32,
        urls: [URL],
        options: KingfisherOptionsInfo = []
    ) {
        (self.scene, self.urls, self.options) = (scene, urls, options)
        (self.columns, self.side) = (columns, side)
        layOut()
    }

    private var rows: Int32 { Int32((urls.count + columns - 1) / columns) }

    /// Recycles the cells that have left the window, and fills the ones that have come in sight.
    package func layOut() {
        let first = Int(scrollPosition / side) * columns
        let last = (Int((scrollPosition + scene.size.height - 1) / side) + 1) * columns
        let visible = first..<max(first, min(last, urls.count))
        for (item, cell) in cells where !visible.contains(item) {
            // First, because clearing may call `onEnd`.
            cells[item] = nil
            cell.loader.clear()
            spare.append(cell)
        }
        for item in visible {
            let cell = cells[item] ?? spare.popLast() ?? SDLImageView(in: scene)
            let (row, column) = (Int32(item / columns), Int32(item % columns))
            let top = row * side - scrollPosition
            cell.frame = SDL_Rect(x: column * side, y: top, w: side, h: side)
            if cells.updateValue(cell, forKey: item) == nil {
                cell.kf.setImage(with: urls[item], options: options) { [weak self] in
                    self?.onEnd?(item, $0)
                }
            }
        }
    }
}
