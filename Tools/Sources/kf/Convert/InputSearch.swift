import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Expands inputs to files.
struct InputSearch {
    /// A file to convert.
    struct Found: Hashable {
        let path: String
        /// Its folder relative to the searched one; empty if it lies directly there.
        let dir: String
    }

    /// Suffixes of the files that a folder search includes.
    ///
    /// Files named explicitly are always tried.
    private static let endings: Set = [
        "jpg", "jpeg", "jpe", "png", "apng", "gif", "webp", "avif", "bmp", "ico", "jxl", "heic",
        "heif", "tif", "tiff", "svg",
    ]

    /// The output folder, whose files are not inputs.
    private let leftOut: String?

    init(leavingOut folder: String) {
        leftOut = Self.resolved(folder)
    }

    /// The files of all inputs, each once, in the order of the inputs and of their names; and the
    /// inputs that have none, with the reason.
    ///
    /// - Throws: A ``Failure`` if there are no files at all.
    func files(_ inputs: [String]) throws -> (found: [Found], failures: [(String, Failure)]) {
        var seen: Set<String> = []
        var found: [Found] = []
        var failures: [(String, Failure)] = []
        for input in inputs {
            do {
                found += try files(input)
                    .filter { seen.insert(Self.resolved($0.path) ?? $0.path).inserted }
            } catch let failure as Failure {
                failures.append((input, failure))
            }
        }
        guard !found.isEmpty else {
            throw failures.first?.1 ?? Failure("there are no images to convert")
        }
        return (found, failures)
    }

    private func files(_ input: String) throws -> [Found] {
        var status = stat()
        if stat(input, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { return [Found(path: input, dir: "")] }
            guard Self.resolved(input) != leftOut else {
                throw Failure("\(input) is also the output folder; choose another one with -o")
            }
            return walk(input, "") { _ in true }.filter { Self.hasEnding($0.path) }
        }
        let code = errno
        if (try? PictureSource(input))?.isWeb == true {
            throw Failure("\(input) is a URL; kf get loads one, and kf convert takes files")
        }
        guard input.contains(where: { "*?[".contains($0) }) else {
            throw Failure("cannot read \(input)", code: code)
        }
        let matches = matching(input)
        guard !matches.isEmpty else { throw Failure("nothing matches '\(input)'") }
        return matches
    }

    /// The files that match a pattern.
    ///
    /// Their folders are relative to the pattern's fixed part.
    private func matching(_ pattern: String) -> [Found] {
        let parts = pattern.split(separator: "/").map(String.init)
        let isSpecial = { (part: String) in part.contains { "*?[".contains($0) } }
        let fixed = parts.prefix { !isSpecial($0) }
        let rest = Array(parts.dropFirst(fixed.count))
        var base = (pattern.hasPrefix("/") ? "/" : "") + fixed.joined(separator: "/")
        if base.isEmpty { base = "." }
        let depth = rest.contains("**") ? Int.max : rest.count
        let found = walk(base, "") { dir in dir.split(separator: "/").count < depth }
        // Without `**`, the depth of the pattern is fixed.
        return found.filter { file in
            let name = (file.path as NSString).lastPathComponent
            let path = file.dir.split(separator: "/").map(String.init) + [name]
            return Self.matches(path[...], rest[...])
        }
    }

    /// The regular files in a folder and in those of its folders that `enters` accepts.
    ///
    /// Hidden files are skipped. Links to folders are not followed, because they may form cycles.
    private func walk(_ base: String, _ dir: String, enters: (String) -> Bool) -> [Found] {
        let folder = dir.isEmpty ? base : (base as NSString).appendingPathComponent(dir)
        if let leftOut, Self.resolved(folder) == leftOut { return [] }
        // A folder that cannot be listed is treated as empty.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") }.flatMap { name -> [Found] in
            let path =
                folder == "." ? name : (folder as NSString).appendingPathComponent(name)
            var status = stat()
            guard lstat(path, &status) == 0 else { return [] }
            let below = dir.isEmpty ? name : dir + "/" + name
            if status.st_mode & S_IFMT == S_IFDIR {
                return enters(below) ? walk(base, below, enters: enters) : []
            }
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
            return [Found(path: path, dir: dir)]
        }
    }

    private static func matches(_ path: ArraySlice<String>, _ pattern: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**" {
            return matches(path, pattern.dropFirst())
                || (!path.isEmpty && matches(path.dropFirst(), pattern))
        }
        guard let name = path.first, fnmatch(first, name, FNM_PERIOD) == 0 else { return false }
        return matches(path.dropFirst(), pattern.dropFirst())
    }

    private static func hasEnding(_ path: String) -> Bool {
        endings.contains((path as NSString).pathExtension.lowercased())
    }

    /// The path without symbolic links; nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
