import ArgumentParser
import Foundation

/// The options of commands that take several inputs.
struct InputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with further inputs, one per line; - is standard input. Empty lines are skipped, "
                + "and comments from a # at the beginning of a line or after white space.",
            valueName: "file"
        ),
        completion: .file()
    )
    var fromFile: String?

    @OptionGroup var exclusion: ExclusionOptions

    /// The patterns of inputs that are left out.
    var exclude: [String] { exclusion.exclude }

    /// Throws a `ValidationError` unless there are inputs.
    func check(_ named: [String], _ what: String = "inputs") throws {
        if named.isEmpty, fromFile == nil {
            throw ValidationError("give \(what), or a file of them with --from-file")
        }
        if named.contains("") { throw ValidationError("the source is empty") }
        if fromFile == "" { throw ValidationError("the file of --from-file has no name") }
        if fromFile == "-", named.contains("-") {
            throw ValidationError("standard input can be read once only")
        }
    }

    /// The inputs that are named on the command line, and those of the file.
    ///
    /// - Parameters:
    ///   - named: The inputs of the command line.
    ///   - patience: The number of seconds that a pipe may be silent.
    /// - Returns: The texts.
    /// - Throws: A ``Failure`` if the file cannot be read.
    func all(_ named: [String], patience: Double = 30) throws -> [String] {
        named + (try lines(patience))
    }

    /// Whether there may be several inputs: a list, a folder or a pattern, or other than one name.
    func mayBeSeveral(_ named: [String]) -> Bool {
        guard fromFile == nil, named.count == 1 else { return true }
        return (try? PictureSource(named[0]))?.path.map(InputSearch.isSearched) ?? false
    }

    private func lines(_ patience: Double) throws -> [String] {
        guard let fromFile else { return [] }
        let file =
            fromFile == "-"
            ? try InputFile(standardInputPatience: patience)
            : try InputFile(path: fromFile, patience: patience)
        let text = String(decoding: try file.text(), as: UTF8.self)
        guard !text.utf8.contains(0) else {
            throw Failure(
                "the list has zero bytes; write it in UTF-8, with a line for each name"
            )
        }
        // Some editors write a byte order mark.
        return text.drop { $0 == "\u{FEFF}" }.split(whereSeparator: \.isNewline)
            .map(Self.withoutComment).filter { !$0.isEmpty }
    }

    /// A line up to its first word that begins with `#`, without white space around it; that within
    /// a name stays.
    private static func withoutComment(_ line: Substring) -> String {
        let words = line.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("#") }
        guard let first = words.first, let last = words.last else { return "" }
        return String(line[first.startIndex..<last.endIndex])
    }

    /// The sources of texts: URLs, files, and the files of folders and patterns.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - output: A folder whose files are not inputs; nil for none.
    ///   - endings: Suffixes of the files that a folder search includes.
    /// - Returns: Each source once, in the order of the texts; and what cannot be found, with the
    ///   reason.
    /// - Throws: A ``Failure`` if there are neither.
    func sources(
        of texts: [String],
        leavingOut output: String?,
        endings: Set<String> = InputSearch.endings
    ) throws -> (sources: [PictureSource], failures: [(String, any Error)]) {
        let search = InputSearch(leavingOut: output ?? "", endings: endings, excluding: exclude)
        var seen: Set<String> = []
        var sources: [PictureSource] = []
        var failures: [(String, any Error)] = []
        for text in texts {
            do {
                let source = try PictureSource(text)
                guard let path = source.path, InputSearch.isSearched(path) else {
                    if !search.excludes(source) { sources.append(source) }
                    continue
                }
                let (found, missing) = search.search([path])
                sources += found.map { PictureSource(file: $0.path, folder: $0.dir) }
                failures += missing.map { ($0.0, $0.1) }
            } catch {
                // In a sentence, a URL ends at a blank, and the rest of a password would be shown.
                failures.append((text.hidingCutURL, error))
            }
        }
        // Standard input has no name, and is read once anyway.
        let once = sources.filter { source in
            seen.insert(source.path.map(InputSearch.identity) ?? source.text).inserted
        }
        if once.isEmpty, failures.isEmpty { throw search.nothing(among: texts) }
        return (once, failures)
    }
}

/// The option of commands that search folders.
struct ExclusionOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Leave out inputs with a name or a folder like this, such as '*-draft.*'; with a slash, "
                + "those whose path ends like this. The folders above a searched one do not count. "
                + "May be repeated.",
            valueName: "pattern"
        )
    )
    var exclude: [String] = []

    func validate() throws {
        if exclude.contains(where: \.isEmpty) { throw ValidationError("--exclude has no pattern") }
    }
}
