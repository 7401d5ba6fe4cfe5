import ArgumentParser
import Foundation

/// How outputs are named: text with `{stem}`, `{dir}`, `{width}`, `{height}` and `{format}`.
struct NameTemplate: Sendable {
    /// The values of one file.
    struct Values {
        let stem: String
        /// The folder below the one that was searched, empty for none.
        let dir: String
        let format: String
        /// Nil before the image is made.
        var size: (width: Int, height: Int)?
    }

    private enum Part: Equatable {
        case text(String)
        case stem, dir, width, height, format
    }

    private let parts: [Part]

    /// The tree of the inputs below the output folder.
    static let standard = NameTemplate(parts: [.dir, .text("/"), .stem, .text("."), .format])

    private init(parts: [Part]) { self.parts = parts }

    /// Reads a template.
    ///
    /// - Throws: A `ValidationError` for an unknown or open brace, or a path out of the folder.
    init(_ text: String) throws {
        let names: [String: Part] = [
            "stem": .stem, "dir": .dir, "width": .width, "height": .height, "format": .format,
        ]
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"),
                let part = names[String(rest[rest.index(after: open)..<close])]
            else {
                throw ValidationError(
                    "'\(text)' has a brace that is none of {stem}, {dir}, {width}, {height}, {format}"
                )
            }
            parts += [.text(String(rest[..<open])), part]
            rest = rest[rest.index(after: close)...]
        }
        parts.append(.text(String(rest)))
        let leaves = text.hasPrefix("/") || text.split(separator: "/").contains("..")
        guard !text.isEmpty, !text.hasSuffix("/"), !leaves else {
            throw ValidationError("'\(text)' is no name for files within the output folder")
        }
        // A name that does not end in its format would hide what the file is.
        if parts.last(where: { $0 != .text("") }) != .format { parts += [.text("."), .format] }
        self.init(parts: parts.filter { $0 != .text("") })
    }

    /// Whether names wait for the size of the image.
    var needsSize: Bool { parts.contains(.width) || parts.contains(.height) }

    /// The path below the output folder, without empty or dotted components.
    ///
    /// Before the size is known, its places keep their braces.
    func path(_ values: Values) -> String {
        let text = parts.map { part in
            switch part {
            case .text(let text): text
            case .stem: values.stem
            case .dir: values.dir
            case .format: values.format
            case .width: values.size.map { "\($0.width)" } ?? "{width}"
            case .height: values.size.map { "\($0.height)" } ?? "{height}"
            }
        }
        .joined()
        return text.split(separator: "/").filter { $0 != "." && $0 != ".." }
            .joined(separator: "/")
    }
}
