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
    static let endings: Set = [
        "jpg", "jpeg", "jpe", "png", "apng", "gif", "webp", "avif", "bmp", "ico", "jxl", "heic",
        "heif", "tif", "tiff", "svg", "pdf", "mp4", "m4v", "mov", "mkv", "webm", "avi", "mts",
        "m2ts",
    ]

    /// The output folder, whose files are not inputs.
    private let leftOut: String?
    private let endings: Set<String>
    private let excluded: [String]

    /// - Parameters:
    ///   - folder: The output folder.
    ///   - endings: Suffixes of the files that a folder search includes.
    ///   - patterns: See ``ExclusionOptions/exclude``.
    init(
        leavingOut folder: String,
        endings: Set<String> = Self.endings,
        excluding patterns: [String] = []
    ) {
        leftOut = Self.resolved(folder)
        self.endings = endings
        excluded = patterns
    }

    /// Finds the files of inputs.
    ///
    /// - Parameters:
    ///   - inputs: Files, folders and patterns.
    ///   - repeats: Whether a file that several inputs name is found as often, as in an animation;
    ///     otherwise once.
    /// - Returns: The files of all inputs, in the order of the inputs and of their names; and the inputs
    ///   and folders that cannot be read, with the reason.
    /// - Throws: A ``Failure`` with all reasons if there are no files at all.
    func files(
        _ inputs: [String],
        repeats: Bool = false
    ) throws -> (found: [Found], failures: [(String, Failure)]) {
        let (found, failures) = search(inputs, repeats: repeats)
        guard found.isEmpty else { return (found, failures) }
        guard !failures.isEmpty else { throw nothing(among: inputs) }
        throw Failure(failures.map(\.1.message).joined(separator: "; "))
    }

    /// The error for inputs of which none is left, although none failed.
    func nothing(among inputs: [String]) -> Failure {
        Failure(inputs.isEmpty ? "there are no images" : "--exclude leaves no image")
    }

    /// The kinds of files that a search of a folder finds.
    private var kinds: String {
        guard endings != Self.endings else { return "images" }
        let names = PictureFormat.allCases.map(\.rawValue).filter(endings.contains)
            .map { $0.uppercased() }
        return names.dropLast().joined(separator: ", ") + " or \(names.last ?? "other") files"
    }

    /// As ``files(_:repeats:)``, but there may be no files.
    func search(
        _ inputs: [String],
        repeats: Bool = false
    ) -> (found: [Found], failures: [(String, Failure)]) {
        var seen: Set<String> = []
        var found: [Found] = []
        var failures: [(String, Failure)] = []
        for input in inputs {
            do {
                found += try files(input, &failures).filter { !excludes($0, of: input) }
                    .filter { repeats || seen.insert(Self.identity(of: $0.path)).inserted }
            } catch {
                failures.append((input, error))
            }
        }
        return (found, failures)
    }

    private func files(
        _ input: String,
        _ failures: inout [(String, Failure)]
    ) throws(Failure) -> [Found] {
        var status = stat()
        if stat(input, &status) == 0 {
            let kind = status.st_mode & S_IFMT
            if kind == S_IFREG { return [Found(path: input, dir: "")] }
            guard kind == S_IFDIR else {
                // A pipe may be silent, and has no name for the output.
                throw Failure("\(input) is not a regular file; save it to one first")
            }
            guard Self.resolved(input) != leftOut else {
                throw Failure("\(input) is also the output folder; choose another one with -o")
            }
            let earlier = failures.count
            let images = walk(input, "", &failures) { _ in true }.filter { hasEnding($0.path) }
            // A folder that cannot be listed has a failure of its own.
            guard !images.isEmpty || failures.count > earlier else {
                throw Failure("\(input): there are no \(kinds) in this folder")
            }
            return images
        }
        let code = errno
        if input == "-" {
            throw Failure("- is standard input, not a file; kf get reads an image from it")
        }
        if (try? PictureSource(input))?.isWeb == true {
            throw Failure("\(input) is a URL, not a file; kf get saves it as one")
        }
        let choices = try Self.choices(of: input)
        if choices.count == 1 {
            guard Self.isPattern(input) else { throw Failure.unreadable(input, code: code) }
            let matches = matching(input, &failures)
            guard !matches.isEmpty else { throw Failure("nothing matches '\(input)'") }
            return matches
        }
        var found: [Found] = []
        for choice in choices {
            do {
                found += try files(choice, &failures)
            } catch {
                // Of `*.{jpg,png}` one may match nothing.
                guard !Self.isPattern(choice) else { continue }
                failures.append((choice, error))
            }
        }
        guard !found.isEmpty else { throw Failure("nothing matches '\(input)'") }
        return found
    }

    /// Whether a path leads to the file that is at another one.
    static func isFile(_ path: String, at other: String) -> Bool {
        // A path that leads nowhere is that of no file.
        guard let file = resolved(other) else { return false }
        return resolved(path) == file
    }

    /// Whether a path is a folder or a pattern, rather than a file.
    static func isSearched(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) != 0 else { return status.st_mode & S_IFMT == S_IFDIR }
        // A malformed pattern stands for itself.
        return isPattern(path) || (try? choices(of: path)).map { $0.count > 1 } ?? true
    }

    /// Whether a search of a folder passes over a path below it: it is hidden, or excluded.
    func passesOver(_ path: String) -> Bool {
        excludes(path) || path.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    /// Whether a source is to be left out.
    func excludes(_ source: PictureSource) -> Bool {
        (source.webURL?.path ?? source.path).map(excludes) ?? false
    }

    /// Of a searched file only the part below the searched folder counts.
    private func excludes(_ file: Found, of input: String) -> Bool {
        guard file.path != input else { return excludes(input) }
        let name = (file.path as NSString).lastPathComponent
        return excludes(file.dir.isEmpty ? name : file.dir + "/" + name)
    }

    private func excludes(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        return excluded.contains { pattern in
            let wanted = pattern.split(separator: "/").map(String.init).filter { $0 != "." }
            if wanted.isEmpty { return false }
            if wanted.count == 1 {
                return parts.contains { fnmatch(wanted[0], $0, 0) == 0 }
            }
            return Self.matches(parts[...], (["**"] + wanted)[...])
        }
    }

    private static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

    /// The texts that one with braces such as `{a,b}` stands for; the text itself without any.
    private static func choices(of text: String) throws(Failure) -> [String] {
        var choices = [""]
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let inside = rest[rest.index(after: open)..<close]
            let words = inside.split(separator: ",", omittingEmptySubsequences: false)
            let start = rest[..<open]
            // Braces without a comma are part of a name.
            let middles = words.count > 1 ? words : [rest[open...close]]
            guard choices.count * middles.count <= 10_000 else {
                throw Failure("'\(text)' stands for too many names")
            }
            choices = choices.flatMap { choice in middles.map { choice + start + $0 } }
            rest = rest[rest.index(after: close)...]
        }
        return choices.map { $0 + rest }
    }

    /// The files that match a pattern.
    ///
    /// Their folders are relative to the pattern's fixed part.
    private func matching(
        _ pattern: String,
        _ failures: inout [(String, Failure)]
    ) -> [Found] {
        let parts = pattern.split(separator: "/").map(String.init)
        let fixed = parts.prefix { !Self.isPattern($0) }
        let rest = Array(parts.dropFirst(fixed.count))
        var base = (pattern.hasPrefix("/") ? "/" : "") + fixed.joined(separator: "/")
        if base.isEmpty { base = "." }
        let depth = rest.contains("**") ? Int.max : rest.count
        let found = walk(base, "", &failures) { dir in dir.split(separator: "/").count < depth }
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
    private func walk(
        _ base: String,
        _ dir: String,
        _ failures: inout [(String, Failure)],
        enters: (String) -> Bool
    ) -> [Found] {
        let folder = dir.isEmpty ? base : (base as NSString).appendingPathComponent(dir)
        if let leftOut, Self.resolved(folder) == leftOut { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            // A pattern may begin with a folder that does not exist; then nothing matches.
            if access(folder, F_OK) == 0 {
                let reason = SystemErrorText.text(for: error)
                failures.append((folder, Failure("cannot list \(folder): \(reason)")))
            }
            return []
        }
        let visible = names.filter { !$0.hasPrefix(".") }.sorted(by: Self.precedes)
        return visible.flatMap { name -> [Found] in
            let path =
                folder == "." ? name : (folder as NSString).appendingPathComponent(name)
            var status = stat()
            guard lstat(path, &status) == 0 else {
                // A name that is not UTF-8 cannot be opened, and converting it reports that. Other
                // files were removed since the listing.
                return path.unicodeScalars.contains("\u{FFFD}") ? [Found(path: path, dir: dir)] : []
            }
            let below = dir.isEmpty ? name : dir + "/" + name
            if status.st_mode & S_IFMT == S_IFDIR {
                return enters(below) ? walk(base, below, &failures, enters: enters) : []
            }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            // Reading a link that leads nowhere reports that; another file was removed meanwhile.
            let isFile =
                stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : isLink
            return isFile ? [Found(path: path, dir: dir)] : []
        }
    }

    /// Whether a name comes before another one: 2 comes before 10.
    private static func precedes(_ name: String, _ other: String) -> Bool {
        switch name.compare(other, options: .numeric) {
        case .orderedAscending: true
        case .orderedSame: name < other
        case .orderedDescending: false
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

    private func hasEnding(_ path: String) -> Bool {
        endings.contains((path as NSString).pathExtension.lowercased())
    }

    /// The place of a file, the same for different spellings of its path.
    ///
    /// Links in its folder are resolved. A link to a file has an output of its own.
    static func identity(of path: String) -> String {
        let folder = AtomicFile.folder(of: path)
        return (resolved(folder) ?? folder) + "/" + (path as NSString).lastPathComponent
    }

    /// The path without symbolic links; nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
