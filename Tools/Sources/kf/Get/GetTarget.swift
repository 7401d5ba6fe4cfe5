import ArgumentParser
import Foundation

/// Where `kf get` writes its images.
enum GetTarget {
    /// Nowhere; the images are only reported.
    case none
    case standardOutput
    /// The file of a single image.
    case file(String)
    /// A folder, with a name for each source.
    case folder(String, stems: [String])

    /// - Parameters:
    ///   - output: The option; a folder if it exists as one, ends with a slash, or there are
    ///     several sources.
    ///   - sources: The sources.
    /// - Throws: A `ValidationError` if several images would become one file.
    init(_ output: String?, for sources: [PictureSource]) throws {
        guard let output else {
            self = .none
            return
        }
        guard !output.isEmpty else { throw ValidationError("the output has no name") }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        if output.hasSuffix("/") || (exists && isFolder.boolValue) {
            self = .folder(output, stems: Self.stems(sources))
        } else if sources.count > 1 {
            throw ValidationError(
                "several images need a folder; '\(Terminal.line(output))' is none, "
                    + "and a new one ends with a slash"
            )
        } else {
            self = output == "-" ? .standardOutput : .file(output)
        }
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

    /// The path for the image of a source; nil if it is not written to a file.
    ///
    /// - Throws: A ``Failure`` if the name that a folder gives is one of the sources.
    func path(
        of index: Int,
        as format: PictureFormat,
        sources: [PictureSource]
    ) throws -> String? {
        switch self {
        case .none, .standardOutput: return nil
        case .file(let path): return path
        case .folder(let folder, let stems):
            let name = "\(stems[index]).\(format.suffix)"
            let path = (folder as NSString).appendingPathComponent(name)
            if let real = InputSearch.resolved(path),
                sources.contains(where: { $0.path.flatMap(InputSearch.resolved) == real })
            {
                throw Failure("\(path) is also a source; choose another folder")
            }
            return path
        }
    }

    /// A file name without ending for each source: the last component of its path, numbered where
    /// it repeats.
    private static func stems(_ sources: [PictureSource]) -> [String] {
        var used: Set<String> = []
        return sources.map { source in
            let path = source.webURL?.path ?? source.path ?? ""
            let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            let stem = safe(name)
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
