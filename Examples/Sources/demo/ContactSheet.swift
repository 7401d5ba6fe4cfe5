import DemoKit
import Foundation
import Kingfisher

/// All images on one page: a row per image, a column per variant.
enum ContactSheet {
    private static let margin = 24
    /// Two lines of small text below every image.
    private static let captionHeight = 30
    private static let paper = SIMD3<Float>(0.965, 0.960, 0.945)
    private static let ink = SIMD3<Float>(0.25, 0.25, 0.28)

    /// Draws the loads, which are grouped by image.
    ///
    /// - Returns: The page as PNG; nil if the library cannot encode it.
    static func png(_ loads: [DemoLoad], variants: [DemoVariant]) -> Data? {
        let rows = stride(from: 0, to: loads.count, by: variants.count).map {
            loads[$0..<min($0 + variants.count, loads.count)]
        }
        let heights = rows.map { row in
            (row.map { $0.image?.pixelHeight ?? 24 }.max() ?? 0) + captionHeight + margin
        }
        let width = variants.reduce(margin) { $0 + $1.room.width + margin }
        let top = margin + 26
        var page = Canvas(width: width, height: top + heights.reduce(0, +))
        page.fill(columns: 0..<page.width, rows: 0..<page.height, paper)

        var left = margin
        for (column, variant) in variants.enumerated() {
            page.write(variant.name, x: left, y: margin - 6, colour: ink)
            var y = top
            for (row, height) in zip(rows, heights) {
                if let load = row.dropFirst(column).first {
                    place(load, on: &page, x: left, y: y)
                    caption(load, on: &page, x: left, y: y, isFirst: column == 0)
                }
                y += height
            }
            left += variant.room.width + margin
        }
        return page.image?.kf.pngRepresentation()
    }

    private static func place(_ load: DemoLoad, on page: inout Canvas, x: Int, y: Int) {
        guard let image = load.image else {
            page.write("failed", x: x, y: y, colour: SIMD3(0.8, 0.1, 0.1))
            return
        }
        let columns = x..<x + image.pixelWidth
        let rows = y..<y + image.pixelHeight
        // A checkerboard below drawings shows their transparency.
        if load.picture.hasSuffix(".png") { checkers(on: &page, columns: columns, rows: rows) }
        page.draw(image, x: x, y: y)
    }

    private static func checkers(on page: inout Canvas, columns: Range<Int>, rows: Range<Int>) {
        let side = 12
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: side) {
            for x in stride(from: columns.lowerBound, to: columns.upperBound, by: side) {
                let isDark =
                    ((x - columns.lowerBound) / side + (y - rows.lowerBound) / side) % 2 == 1
                page.fill(
                    columns: x..<min(x + side, columns.upperBound),
                    rows: y..<min(y + side, rows.upperBound),
                    SIMD3(repeating: isDark ? 0.86 : 0.93)
                )
            }
        }
    }

    private static func caption(
        _ load: DemoLoad,
        on page: inout Canvas,
        x: Int,
        y: Int,
        isFirst: Bool
    ) {
        var below = y + (load.image?.pixelHeight ?? 24) + 8
        if isFirst {
            page.write(load.picture, x: x, y: below, size: 1, colour: ink)
            below += 12
        }
        guard let image = load.image else { return }
        let size = "\(image.pixelWidth)×\(image.pixelHeight)"
        page.write(size, x: x, y: below, size: 1, colour: ink)
    }
}
