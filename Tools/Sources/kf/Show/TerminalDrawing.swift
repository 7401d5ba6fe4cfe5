import ArgumentParser
import Foundation
import Kingfisher

/// Methods of drawing an image in a terminal.
enum TerminalDrawing: String, ExpressibleByArgument, CaseIterable {
    case auto
    /// kitty's graphics protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol
    case kitty
    /// iTerm2's inline images: https://iterm2.com/documentation-images.html
    case iterm
    /// Six rows of pixels per character, as on DEC's terminals.
    case sixel
    /// Two pixels per character, one above the other.
    case blocks

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

    /// The pixels of a box of character cells.
    func pixels(columns: Int, rows: Int) -> CGSize {
        // Common cells are twice as high as wide; blocks have two pixels per cell.
        self == .blocks
            ? CGSize(width: columns, height: rows * 2)
            : CGSize(width: columns * 10, height: rows * 20)
    }

    /// The bytes that draw an image; nil if it has no pixels.
    func data(for image: KFCrossPlatformImage) -> Data? {
        switch self {
        case .auto, .blocks: HalfBlocks(image).map { Data($0.text.utf8) }
        case .kitty: image.kf.pngRepresentation().map(Self.kitty)
        case .iterm: image.kf.pngRepresentation().map(Self.iterm)
        case .sixel: Sixels(image).map { Data($0.text.utf8) }
        }
    }

    /// PNG in pieces of 4096 characters of base64, the maximum of the protocol.
    private static func kitty(_ png: Data) -> Data {
        let text = Array(png.base64EncodedString().utf8)
        var result = Data()
        for start in stride(from: 0, to: text.count, by: 4096) {
            let end = min(start + 4096, text.count)
            let head = start == 0 ? "a=T,f=100," : ""
            result += Data("\u{1B}_G\(head)m=\(end < text.count ? 1 : 0);".utf8)
            result += text[start..<end]
            result += Data("\u{1B}\\".utf8)
        }
        return result + Data("\n".utf8)
    }

    private static func iterm(_ png: Data) -> Data {
        let head = "\u{1B}]1337;File=inline=1;size=\(png.count):"
        return Data((head + png.base64EncodedString() + "\u{07}\n").utf8)
    }
}

/// Random access to pixels; transparent ones are composited on black.
struct PixelGrid {
    let width: Int
    let height: Int
    private let bytes: [UInt8]

    /// Nil for an image without pixels.
    init?(_ image: KFCrossPlatformImage) {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        guard width > 0, height > 0 else { return nil }
        self.width = width
        self.height = height
        bytes = image.withPremultipliedRGBA { source, bytesPerRow in
            (0..<height).reduce(into: [UInt8]()) { result, row in
                result.append(contentsOf: source[row * bytesPerRow..<row * bytesPerRow + width * 4])
            }
        }
    }

    subscript(x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
        let index = (y * width + x) * 4
        return (Int(bytes[index]), Int(bytes[index + 1]), Int(bytes[index + 2]))
    }
}
