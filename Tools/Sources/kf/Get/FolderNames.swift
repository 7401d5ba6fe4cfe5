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
    }

    private let names: [Name]
    /// The sources by their names as far as these are known before the images are loaded: without
    /// suffixes, in lower case.
    private let planned: [String: Set<Int>]
    private let template: NameTemplate?
    /// The names that were given, each with its source.
    private let owners = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - sources: The sources.
    ///   - template: The names; nil for the usual ones.
    ///   - format: The format of all outputs; nil for those of the sources.
    init(_ sources: [PictureSource], _ template: NameTemplate?, as format: PictureFormat?) {
        self.template = template
        if let template {
            names = sources.map { _ in Name(template: template, expected: "") }
            planned = [:]
        } else {
            (names, planned) = Self.usual(sources, format)
        }
    }

    private static func usual(
        _ sources: [PictureSource],
        _ format: PictureFormat?
    ) -> ([Name], planned: [String: Set<Int>]) {
        let values = sources.map { source in
            let ext = fileName(of: source).pathExtension
            let own = PictureFormat(name: ext.lowercased())?.suffix ?? ext
            return Self.values(of: source, dir: source.folder, format?.suffix ?? own, nil)
        }
        var names = zip(values, NameTemplate.usual(for: values)).map { value, template in
            Name(template: template, expected: value.format)
        }
        var used: Set<String> = []
        // The last number of each name: counting again from 1 takes minutes for many thousands.
        var last: [String: Int] = [:]
        var planned: [String: Set<Int>] = [:]
        for index in names.indices where !names[index].expected.isEmpty {
            let path = names[index].template.path(values[index])
            names[index].number = last[path.lowercased(), default: 0] + 1
            // Names that differ in case alone would be one file on some file systems.
            while !used.insert(numbered(path, names[index].number).lowercased()).inserted {
                names[index].number += 1
            }
            last[path.lowercased()] = names[index].number
            planned[stem(of: numbered(path, names[index].number)), default: []].insert(index)
        }
        // A suffix that is not known may turn out to be that of any other name. Names that need no
        // number come first, because a number may make one of them.
        let unknown = names.indices.filter { names[$0].expected.isEmpty }
        let repeated = unknown.filter { index in
            let stem = stem(of: values[index])
            if planned[stem] == nil { planned[stem] = [index] }
            return planned[stem] != [index]
        }
        for index in repeated {
            let stem = stem(of: values[index])
            let first = last[stem, default: 1]
            names[index].number = number(for: stem, of: index, in: planned, from: first)
            last[stem] = names[index].number
            planned[numbered(stem: stem, names[index].number)] = [index]
        }
        return (names, planned)
    }

    /// The first number with which a name without its suffix is that of no other source.
    private static func number(
        for stem: String,
        of index: Int,
        in planned: [String: Set<Int>],
        from first: Int
    ) -> Int {
        var number = first
        while planned[numbered(stem: stem, number), default: [index]] != [index] { number += 1 }
        return number
    }

    /// The name of a file with a suffix, without it.
    private static func stem(of path: String) -> String {
        (path as NSString).deletingPathExtension.lowercased()
    }

    /// The usual name of a file whose suffix is not known.
    private static func stem(of values: NameTemplate.Values) -> String {
        (values.dir.isEmpty ? values.stem : values.dir + "/" + values.stem).lowercased()
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
        var path = Self.numbered(name.template.path(values), name.number)
        // Its suffix is not that of its format, and the name may be that of another source.
        if template == nil, name.expected != format.suffix,
            planned[Self.stem(of: path)] != [index]
        {
            let template = NameTemplate.keepingSuffix(of: values)
            let first = name.number
            let stem = Self.stem(of: template.path(values))
            name.number = Self.number(for: stem, of: index, in: planned, from: first)
            path = Self.numbered(template.path(values), name.number)
        }
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
        let whole = path as NSString
        return number == 1
            ? path : numbered(stem: whole.deletingPathExtension, number) + "." + whole.pathExtension
    }

    private static func numbered(stem: String, _ number: Int) -> String {
        number == 1 ? stem : "\(stem)-\(number)"
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
