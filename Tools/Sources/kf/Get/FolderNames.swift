import Foundation
import Synchronization

/// The names of images in a folder.
///
/// Without a template they are those of ``NameTemplate/usual(for:)``, and numbered where they are
/// equal.
final class FolderNames: Sendable {
    private struct Name {
        var template: NameTemplate
        /// The suffix of the output, as far as it is known before the image is loaded.
        let expected: String
        /// From 1; larger numbers are part of the name.
        var number = 1
        /// Whether another source differs in its suffix alone.
        var isShared = false
    }

    private let names: [Name]
    private let template: NameTemplate?
    /// The names that were given, each with its source.
    private let owners = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - sources: The sources.
    ///   - template: The names; nil for the usual ones.
    ///   - format: The format of all outputs; nil for those of the sources.
    init(_ sources: [PictureSource], _ template: NameTemplate?, as format: PictureFormat?) {
        self.template = template
        names =
            template.map { template in
                sources.map { _ in Name(template: template, expected: "") }
            } ?? Self.usual(sources, format)
    }

    private static func usual(_ sources: [PictureSource], _ format: PictureFormat?) -> [Name] {
        let values = sources.map { source in
            let ext = fileName(of: source).pathExtension
            let own = PictureFormat(name: ext.lowercased())?.suffix ?? ext
            return Self.values(of: source, dir: source.folder, format?.suffix ?? own, nil)
        }
        let stems = values.map { ($0.dir + "/" + $0.stem).lowercased() }
        let counts = Dictionary(stems.map { ($0, 1) }, uniquingKeysWith: +)
        // Of names whose suffix is known, by stem; the others are numbered after these.
        let known = zip(stems, values).filter { !$1.format.isEmpty }.map { ($0.0, 1) }
        var ranks = Dictionary(known, uniquingKeysWith: +)
        var used: Set<String> = []
        return zip(zip(values, stems), NameTemplate.usual(for: values)).map { value, template in
            var name = Name(template: template, expected: value.0.format)
            name.isShared = counts[value.1] ?? 0 > 1
            guard !name.expected.isEmpty else {
                // Its suffix may turn out to be that of any other name with this stem.
                ranks[value.1, default: 0] += 1
                name.number = ranks[value.1] ?? 1
                return name
            }
            let path = template.path(value.0)
            // Names that differ in case alone would be one file on some file systems.
            while !used.insert(numbered(path, name.number).lowercased()).inserted {
                name.number += 1
            }
            return name
        }
    }

    /// The path within the folder; nil if it needs the size.
    func name(
        of index: Int,
        as format: PictureFormat,
        size: (width: Int, height: Int)?,
        _ sources: [PictureSource]
    ) throws -> String? {
        let source = sources[index]
        var name = names[index]
        if name.template.needsSize, size == nil { return nil }
        let dir = template == nil ? source.folder : Self.folder(of: source)
        let values = Self.values(of: source, dir: dir, format.suffix, size)
        // Its suffix does not tell its format, and the name may be that of another source.
        if template == nil, name.isShared, name.expected != format.suffix {
            name.template = .keepingSuffix(of: values)
        }
        let path = Self.numbered(name.template.path(values), name.number)
        let owner = owners.withLock { owners in
            let owner = owners[path] ?? index
            owners[path] = owner
            return owner
        }
        guard owner == index else {
            let advice = template == nil ? "load them in two runs" : "change --name"
            throw Failure("\(path) is also the name of \(sources[owner].title); \(advice)")
        }
        return path
    }

    private static func numbered(_ path: String, _ number: Int) -> String {
        guard number > 1 else { return path }
        let whole = path as NSString
        return "\(whole.deletingPathExtension)-\(number).\(whole.pathExtension)"
    }

    private static func values(
        of source: PictureSource,
        dir: String,
        _ format: String,
        _ size: (width: Int, height: Int)?
    ) -> NameTemplate.Values {
        let file = fileName(of: source)
        let ext = file.pathExtension
        let stem = file.deletingPathExtension
        // The name of a file has been allowed here before.
        let isKept = source.webURL == nil && !stem.isEmpty
        return NameTemplate.Values(
            stem: isKept ? stem : safe(stem),
            ext: ext.isEmpty ? "" : safe(ext),
            dir: dir,
            format: format,
            size: size
        )
    }

    private static func fileName(of source: PictureSource) -> NSString {
        let path = source.webURL?.path ?? source.path ?? ""
        return (path as NSString).lastPathComponent as NSString
    }

    /// The path of a URL without its file, or the folder of a file relative to the searched one.
    private static func folder(of source: PictureSource) -> String {
        guard let path = source.webURL?.path else { return source.folder }
        // A server must not choose hidden folders.
        return (path as NSString).deletingLastPathComponent.split(separator: "/")
            .map { safe(String($0)) }.joined(separator: "/")
    }

    /// A name that is no path, hidden file or control sequence, and short enough for file systems.
    private static func safe(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.properties.generalCategory != .control && scalar != "/"
            return isPlain ? Character(scalar) : "_"
        }
        var stem = String(kept.drop { $0 == "." || $0 == "_" })
        while stem.utf8.count > 200 { stem.removeLast() }
        return stem.isEmpty ? "image" : stem
    }
}
