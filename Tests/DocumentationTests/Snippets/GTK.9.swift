// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func makeCells(_ urls: [URL]) -> ImageListFactory {
    let cells = ImageListFactory(
        cellSize: CGSize(width: 160, height: 120),
        itemCount: urls.count
    ) { .network(urls[$0]) }
    cells.indicator = .spinner
    return cells
}
#endif
