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
    case folder(String, FolderNames)

    /// - Parameters:
    ///   - output: The option; a folder if it exists as one, ends with a slash, or there are
    ///     several sources.
    ///   - sources: The sources.
    ///   - name: The names in a folder; nil for the usual ones.
    ///   - format: That of all images; nil for those of the sources.
    /// - Throws: A `ValidationError` if several images would become one file.
    init(
        _ output: String?,
        for sources: [PictureSource],
        name: NameTemplate? = nil,
        format: PictureFormat? = nil
    ) throws {
        guard let output else {
            self = .none
            return
        }
        guard !output.isEmpty else { throw ValidationError("the output has no name") }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        if output.hasSuffix("/") || (exists && isFolder.boolValue) {
            self = .folder(output, FolderNames(sources, name, as: format))
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

    /// Writes the image of a source to its ``path(of:as:size:sources:)``.
    func write(_ data: Data, to path: String, patience: Double) throws {
        if case .folder(let folder, _) = self {
            try AtomicFile.write(data, to: path, below: folder, patience: patience)
        } else {
            try AtomicFile.write(data, to: path, patience: patience)
        }
    }
}
