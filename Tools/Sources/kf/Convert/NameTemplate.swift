import ArgumentParser
import Foundation

/// A pattern for output names: text with `{stem}`, `{ext}`, `{dir}`, `{width}`,
/// `{height}` and `{format}`.
struct NameTemplate: Sendable {
    /// The values for one file.
    struct Values {
        let stem: String
        /// The suffix of the input, without its dot.
        let ext: String
        /// The folder relative to the searched one; empty if the file lies directly there.
        let dir: String
        let format: String
        /// Nil before the image is loaded.
        var size: (width: Int, height: Int)?
    }

    private enum Part: Equatable {
        case text(String)
        case stem, ext, dir, width, height, format
    }

    private let parts: [Part]

    /// Mirrors the folder structure of the inputs.
    static let standard = NameTemplate(parts: [.dir, .text("/"), .stem, .text("."), .format])

    /// As the standard, for inputs whose names differ in their suffix alone.
    private static let withSuffix = NameTemplate(
        parts: [.dir, .text("/"), .stem, .text("-"), .ext, .text("."), .format]
    )

    /// A name that keeps the suffix of an input, if it has one.
    static func keepingSuffix(of input: Values) -> NameTemplate {
        input.ext.isEmpty ? standard : withSuffix
    }

    /// The names of the outputs of several inputs, unless the user chooses others.
    static func usual(for inputs: [Values]) -> [NameTemplate] {
        let names = inputs.map { standard.path($0) }
        let groups = Dictionary(grouping: zip(names, inputs)) { $0.0 }
        return zip(names, inputs).map { name, input in
            Set(groups[name]?.map(\.1.ext) ?? []).count > 1 ? keepingSuffix(of: input) : standard
        }
    }

    /// The usual names in the help of the commands that give them.
    static let help = """
        Names: files of folders and patterns keep their folders below the searched one, as in \
        {dir}/{stem}.{format}. Inputs that differ in their suffix alone keep it, as in \
        a-jpg.webp beside a-png.webp.
        """

    private init(parts: [Part]) { self.parts = parts }

    /// Parses a template.
    ///
    /// - Throws: A `ValidationError` for an unknown or unclosed brace, or a path outside the output
    ///   folder.
    init(_ text: String) throws {
        let names: [String: Part] = [
            "stem": .stem, "ext": .ext, "dir": .dir, "width": .width, "height": .height,
            "format": .format,
        ]
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"),
                let part = names[String(rest[rest.index(after: open)..<close])]
            else {
                throw ValidationError(
                    "'\(text)' has a wrong brace; use {stem}, {ext}, {dir}, {width}, {height}, "
                        + "{format}"
                )
            }
            parts += [.text(String(rest[..<open])), part]
            rest = rest[rest.index(after: close)...]
        }
        parts.append(.text(String(rest)))
        let leaves = text.hasPrefix("/") || text.split(separator: "/").contains("..")
        guard !text.isEmpty, !text.hasSuffix("/"), !leaves else {
            throw ValidationError("'\(text)' leads outside the output folder")
        }
        // A name without the format as its suffix would hide the file's type.
        if parts.last(where: { $0 != .text("") }) != .format { parts += [.text("."), .format] }
        self.init(parts: parts.filter { $0 != .text("") })
    }

    /// Whether names depend on the size of the image.
    var needsSize: Bool { parts.contains(.width) || parts.contains(.height) }

    /// The path relative to the output folder, without empty or dotted components.
    ///
    /// While the size is unknown, its placeholders remain.
    func path(_ values: Values) -> String {
        let text = parts.map { part in
            switch part {
            case .text(let text): text
            case .stem: values.stem
            case .ext: values.ext
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
