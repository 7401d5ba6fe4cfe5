import ArgumentParser
import CChafa
import Foundation
import Kingfisher

/// Methods of drawing an image in a terminal, by libchafa.
enum TerminalDrawing: String, ExpressibleByArgument, CaseIterable {
    case auto
    case kitty
    case iterm
    case sixel
    /// Characters, coloured unless `NO_COLOR` is set.
    case blocks

    private static let isLoaded = kf_chafa_load() != 0
    /// The pixels of a character cell; common ones are twice as high as wide.
    private static let cell = (width: 10, height: 20)

    /// The best method according to the environment.
    func resolved(_ environment: [String: String]) -> TerminalDrawing {
        guard self == .auto else { return self }
        let term = environment["TERM"] ?? ""
        let program = environment["TERM_PROGRAM"] ?? ""
        // A multiplexer discards unknown sequences.
        if environment["TMUX"] != nil || term.hasPrefix("screen") { return .blocks }
        guard Terminal.outputIsTerminal else { return .blocks }
        let isKitty = environment["KITTY_WINDOW_ID"] != nil || term.contains("kitty")
        if isKitty || term.contains("ghostty") || program == "ghostty" { return .kitty }
        if ["iTerm.app", "WezTerm", "mintty"].contains(program) { return .iterm }
        if ["foot", "mlterm", "sixel", "contour"].contains(where: { term.contains($0) }) {
            return .sixel
        }
        return .blocks
    }

    /// The most pixels of an image for a box of cells.
    func pixels(columns: Int, rows: Int) -> CGSize {
        CGSize(width: columns * Self.cell.width, height: rows * Self.cell.height)
    }

    /// The bytes that draw an image in a box of cells.
    ///
    /// - Throws: A ``Failure`` without libchafa.
    func data(
        for image: KFCrossPlatformImage,
        columns: Int,
        rows: Int,
        _ environment: [String: String]
    ) throws -> Data {
        guard Self.isLoaded else {
            throw Failure("the library libchafa (package libchafa0) is not installed")
        }
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        guard width > 0, height > 0 else { throw Failure("this image has no pixels") }
        let cells = cells(width, height, columns: columns, rows: rows)
        let drawing = kf_chafa_drawing(
            protocol: chafaProtocol,
            colors: Self.colors(environment),
            columns: Int32(clamping: cells.columns),
            rows: Int32(clamping: cells.rows),
            cell_width: Int32(Self.cell.width),
            cell_height: Int32(Self.cell.height),
            width: Int32(clamping: width),
            height: Int32(clamping: height)
        )
        var count = 0
        let text = image.withPremultipliedRGBA { source, bytesPerRow in
            let packed = (0..<height).reduce(into: [UInt8]()) { result, row in
                result.append(contentsOf: source[row * bytesPerRow..<row * bytesPerRow + width * 4])
            }
            return kf_chafa_draw(drawing, packed, &count)
        }
        guard let text else { throw Failure("there is no memory to draw this image") }
        return Data(bytesNoCopy: text, count: count, deallocator: .free) + Data("\n".utf8)
    }

    private var chafaProtocol: kf_chafa_protocol {
        switch self {
        case .auto, .blocks: KF_CHAFA_SYMBOLS
        case .kitty: KF_CHAFA_KITTY
        case .iterm: KF_CHAFA_ITERM
        case .sixel: KF_CHAFA_SIXELS
        }
    }

    /// The cells for an image, which is not enlarged: a pixel has at most half a cell as a character.
    private func cells(
        _ width: Int,
        _ height: Int,
        columns: Int,
        rows: Int
    ) -> (columns: Int, rows: Int) {
        let isText = chafaProtocol == KF_CHAFA_SYMBOLS
        let own = CGSize(
            width: CGFloat(width) / CGFloat(isText ? 1 : Self.cell.width),
            height: CGFloat(height) / CGFloat(isText ? 2 : Self.cell.height)
        )
        let scale = min(1, CGFloat(columns) / own.width, CGFloat(rows) / own.height)
        return (
            max(1, Int((own.width * scale).rounded(.up))),
            max(1, Int((own.height * scale).rounded(.up)))
        )
    }

    private static func colors(_ environment: [String: String]) -> kf_chafa_colors {
        if environment["NO_COLOR"]?.isEmpty == false { return KF_CHAFA_NO_COLORS }
        let isTrue = environment["COLORTERM"].map { $0 == "truecolor" || $0 == "24bit" }
        return isTrue ?? !Terminal.outputIsTerminal ? KF_CHAFA_TRUE_COLOR : KF_CHAFA_240_COLORS
    }
}
