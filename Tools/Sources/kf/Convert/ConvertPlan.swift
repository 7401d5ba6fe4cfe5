import Foundation
import Kingfisher

/// Maps inputs to outputs.
///
/// Made before any work, so that conflicts are found at once.
struct ConvertPlan: Sendable {
    /// A file and the name of its output.
    struct Item: Sendable {
        let input: InputSearch.Found
        /// Nil for a file without a known header; converting it reports the reason.
        let format: PictureFormat?
        /// Relative to the output folder.
        ///
        /// Contains `{width}` or `{height}` while the size is unknown.
        let name: String
        fileprivate let template: NameTemplate

        /// The output path for messages.
        func outputTitle(in folder: String) -> String {
            (folder as NSString).appendingPathComponent(name)
        }
    }

    /// Inputs that cannot be converted.
    struct Conflict: Sendable {
        let inputs: Set<String>
        let failure: Failure
    }

    let items: [Item]
    /// Two inputs with the same output, or an output that is an input.
    private(set) var conflicts: [Conflict] = []
    let folder: String
    /// The inputs, without symbolic links.
    private let inputs: Set<String>

    /// Plans the outputs.
    ///
    /// Without a template of its own, inputs of one name with several suffixes keep these: `a.jpg`
    /// and `a.jpeg` become `a-jpg.webp` and `a-jpeg.webp`.
    init(
        inputs: [InputSearch.Found],
        folder: String,
        name: NameTemplate?,
        format: PictureFormat?,
        clip: VideoClip?
    ) {
        self.folder = folder
        let formats = inputs.map { format ?? Self.format(of: $0.path, clip) }
        let values = zip(inputs, formats).map { Self.values($0, $1, size: nil) }
        let templates =
            name.map { name in inputs.map { _ in name } } ?? NameTemplate.usual(for: values)
        items = inputs.indices.map { index in
            Item(
                input: inputs[index],
                format: formats[index],
                name: templates[index].path(values[index]),
                template: templates[index]
            )
        }
        self.inputs = Set(inputs.compactMap { InputSearch.resolved($0.path) })
        findConflicts()
    }

    /// The path of an output, once the size of the image is known.
    func path(of item: Item, size: (width: Int, height: Int)) -> String {
        let values = Self.values(item.input, item.format, size: size)
        return (folder as NSString).appendingPathComponent(item.template.path(values))
    }

    /// Whether an output exists; false while its name is not known.
    func isThere(_ item: Item) -> Bool {
        !item.template.needsSize
            && OutputPlace.isTaken(item.outputTitle(in: folder))
    }

    private mutating func findConflicts() {
        var owners: [String: Item] = [:]
        for item in items {
            let path = item.input.path
            if let other = owners.updateValue(item, forKey: item.name) {
                let failure = Failure(
                    "\(other.input.path) and \(path) would both become \(item.name); "
                        + Self.advice(other, item)
                )
                conflicts.append(Conflict(inputs: [other.input.path, path], failure: failure))
            }
            do {
                try checkIsNoInput(item.outputTitle(in: folder))
            } catch {
                conflicts.append(Conflict(inputs: [path], failure: error))
            }
        }
    }

    /// Throws a ``Failure`` if an output would replace an input.
    func checkIsNoInput(_ output: String) throws(Failure) {
        guard let real = InputSearch.resolved(output), inputs.contains(real) else { return }
        throw Failure("\(output) is also an input; choose another folder or another --name")
    }

    /// How to give two inputs two names: by the first placeholder whose value differs.
    private static func advice(_ first: Item, _ second: Item) -> String {
        let (a, b) = (
            values(first.input, first.format, size: nil),
            values(second.input, second.format, size: nil)
        )
        let placeholder =
            a.stem != b.stem
            ? "{stem}"
            : a.dir != b.dir
                ? "{dir}" : a.ext != b.ext ? "{ext}" : a.format != b.format ? "{format}" : nil
        return placeholder.map { "add \($0) to --name" }
            ?? "convert them in two runs, into two folders"
    }

    private static func values(
        _ input: InputSearch.Found,
        _ format: PictureFormat?,
        size: (width: Int, height: Int)?
    ) -> NameTemplate.Values {
        let file = (input.path as NSString).lastPathComponent as NSString
        return NameTemplate.Values(
            stem: file.deletingPathExtension,
            ext: file.pathExtension,
            dir: input.dir,
            format: format?.suffix ?? file.pathExtension,
            size: size
        )
    }

    /// The format of a file by its first bytes: PNG for formats without an encoder, JPEG for frames of
    /// videos and WebP for parts, nil if it is no image.
    private static func format(of path: String, _ clip: VideoClip?) -> PictureFormat? {
        if let document = LocalDocument(path) {
            return document.kind == .pdf ? .png : clip != nil ? .webp : .jpeg
        }
        guard let file = InputFile.regular(at: path),
            let bytes = try? file.beginning(4096), bytes.kf.imageFormat != .unknown
        else { return nil }
        return PictureFormat(bytes.kf.imageFormat) ?? .png
    }
}
