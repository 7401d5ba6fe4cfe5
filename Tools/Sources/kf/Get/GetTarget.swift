import ArgumentParser
import Foundation
import Synchronization

/// Where `kf get` writes its images.
enum GetTarget {
    /// Nowhere; the images are only reported.
    case none
    case standardOutput
    /// The file of a single image.
    case file(String)
    /// A folder, with a name for each source.
    case folder(String, FolderNames)

    /// - Parameters:
    ///   - output: The option; a folder if it exists as one, ends with a slash, or there are
    ///     several sources.
    ///   - sources: The sources.
    ///   - name: The names in a folder; nil for those of the sources, with numbers where they repeat.
    /// - Throws: A `ValidationError` if several images would become one file.
    init(_ output: String?, for sources: [PictureSource], name: NameTemplate? = nil) throws {
        guard let output else {
            self = .none
            return
        }
        guard !output.isEmpty else { throw ValidationError("the output has no name") }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        if output.hasSuffix("/") || (exists && isFolder.boolValue) {
            self = .folder(output, FolderNames(sources, name))
        } else if sources.count > 1 {
            throw ValidationError(
                "several images need a folder; '\(Terminal.line(output))' is none, "
                    + "and a new one ends with a slash"
            )
        } else {
            self = output == "-" ? .standardOutput : .file(output)
        }
    }

    /// Whether images are written.
    var isWritten: Bool {
        if case .none = self { false } else { true }
    }

    /// The format of the outputs: the one that is named, or that of a file's suffix; nil for those of
    /// the sources.
    func format(_ named: PictureFormat?) throws -> PictureFormat? {
        guard named == nil, case .file(let path) = self else { return named }
        return try PictureFormat(ending: path)
    }

    /// Throws a ``Failure`` unless the images can be written; makes a missing folder.
    ///
    /// Bytes of an image could control a terminal.
    func prepare() throws {
        switch self {
        case .none: break
        case .standardOutput where Terminal.outputIsTerminal:
            throw Failure(
                "standard output is a terminal; redirect it to a file or a pipe, or name a file "
                    + "with -o; kf show draws an image"
            )
        case .standardOutput: break
        case .file(let path): try AtomicFile.checkFolder(of: path)
        case .folder(let path, _): try AtomicFile.makeFolder(path)
        }
    }

    /// The path for the image of a source; nil if it is not written to a file, or if its name needs
    /// the size.
    ///
    /// - Throws: A ``Failure`` if the name that a folder gives is that of another image, or one of the
    ///   sources.
    func path(
        of index: Int,
        as format: PictureFormat,
        size: (width: Int, height: Int)? = nil,
        sources: [PictureSource]
    ) throws -> String? {
        switch self {
        case .none, .standardOutput: return nil
        case .file(let path): return path
        case .folder(let folder, let names):
            guard let name = try names.name(of: index, as: format, size: size, sources) else {
                return nil
            }
            let path = (folder as NSString).appendingPathComponent(name)
            if let real = InputSearch.resolved(path),
                sources.contains(where: { $0.path.flatMap(InputSearch.resolved) == real })
            {
                throw Failure("\(path) is also a source; choose another folder")
            }
            return path
        }
    }
}

/// The names of images in a folder.
final class FolderNames: Sendable {
    /// A name for each source that no other has.
    let stems: [String]
    private let template: NameTemplate?
    /// The names that were given, each with its source.
    private let owners = Mutex<[String: Int]>([:])

    init(_ sources: [PictureSource], _ template: NameTemplate?) {
        stems = Self.stems(sources)
        self.template = template
    }

    /// The path within the folder; nil if it needs the size.
    fileprivate func name(
        of index: Int,
        as format: PictureFormat,
        size: (width: Int, height: Int)?,
        _ sources: [PictureSource]
    ) throws -> String? {
        guard let template else { return "\(stems[index]).\(format.suffix)" }
        if template.needsSize, size == nil { return nil }
        let name = template.path(Self.values(of: sources[index], format, size))
        let owner = owners.withLock { owners in
            let owner = owners[name] ?? index
            owners[name] = owner
            return owner
        }
        guard owner == index else {
            throw Failure("\(name) is also the name of \(sources[owner].title); change --name")
        }
        return name
    }

    private static func values(
        of source: PictureSource,
        _ format: PictureFormat,
        _ size: (width: Int, height: Int)?
    ) -> NameTemplate.Values {
        let file = (source.webURL?.path ?? source.path ?? "") as NSString
        let ext = file.pathExtension
        // A server must not choose hidden folders.
        let folders = file.deletingLastPathComponent.split(separator: "/").map { safe(String($0)) }
        return NameTemplate.Values(
            stem: stem(of: source),
            ext: ext.isEmpty ? "" : safe(ext),
            dir: source.webURL == nil ? source.folder : folders.joined(separator: "/"),
            format: format.suffix,
            size: size
        )
    }

    /// A file name without ending for each source: the last component of its path, numbered where
    /// it repeats.
    private static func stems(_ sources: [PictureSource]) -> [String] {
        var used: Set<String> = []
        return sources.map { source in
            let stem = stem(of: source)
            var unique = stem
            var number = 1
            // Names that differ in case alone would be one file on some file systems.
            while !used.insert(unique.lowercased()).inserted {
                number += 1
                unique = "\(stem)-\(number)"
            }
            return unique
        }
    }

    private static func stem(of source: PictureSource) -> String {
        let path = source.webURL?.path ?? source.path ?? ""
        return safe(((path as NSString).lastPathComponent as NSString).deletingPathExtension)
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
