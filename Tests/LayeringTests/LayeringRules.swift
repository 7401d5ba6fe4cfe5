/// The layering rules; each is a pure function from the sources to the violations.
enum LayeringRules {
    // MARK: Modules

    /// Imports that the target's row in the table does not list.
    static func forbiddenImports(in tree: SourceTree) -> [String] {
        Architecture.imports.flatMap { target, modules in
            let allowed = modules.union(Architecture.everywhere)
            return tree.below(target).sorted { $0.key < $1.key }.flatMap { name, text in
                SwiftText(text).imports.filter { !allowed.contains($0.module) }
                    .map { "\(target)/\(name):\($0.line) imports \($0.module)" }
            }
        }
    }

    /// Imports of a module outside the only folders that may import it.
    static func importsByTheWrongDoor(in tree: SourceTree) -> [String] {
        let library = tree.below("Sources/Kingfisher")
        return Architecture.singleDoors.flatMap { module, folders in
            library.sorted { $0.key < $1.key }.flatMap { name, text -> [String] in
                guard text.holds(module), !folders.contains(Architecture.library.folder(of: name))
                else { return [] }
                return SwiftText(text).imports.filter { $0.module == module }
                    .map { "\(name):\($0.line) imports \(module)" }
            }
        }
    }

    // MARK: Folders

    /// Folders of the targets with layers that have no rank.
    static func unrankedFolders(in tree: SourceTree) -> [String] {
        Architecture.layers.flatMap { layers in
            let folders = Set(tree.below(layers.target).keys.map(layers.folder(of:)))
            return folders.subtracting(layers.ranks.keys).sorted().map { "\(layers.target)/\($0)" }
        }
    }

    /// Mentions of a type whose folder is not below.
    ///
    /// If a file declares a type of the same name, the name refers to that type and is not checked.
    static func upwardMentions(in tree: SourceTree) -> [String] {
        Architecture.layers.flatMap { upwardMentions(in: tree, $0) }
    }

    private static func upwardMentions(
        in tree: SourceTree,
        _ layers: Architecture.Layers
    ) -> [String] {
        let texts = tree.below(layers.target).mapValues(SwiftText.init)
        var homes: [String: Set<String>] = [:]
        for (name, text) in texts {
            for type in text.declaredTypes(onlyTopLevel: true) {
                homes[type, default: []].insert(layers.folder(of: name))
            }
        }
        let types = Set(homes.keys)
        return texts.sorted { $0.key < $1.key }.flatMap { name, text -> [String] in
            let here = layers.folder(of: name)
            let foreign = types.subtracting(text.declaredTypes(onlyTopLevel: false))
            return text.mentions(of: foreign).compactMap { type, line in
                // Private types in several folders may have the same name: one permitted folder is
                // enough.
                guard let there = homes[type],
                    !there.contains(where: { layers.mayMention(from: here, to: $0) })
                else { return nil }
                let owners = there.sorted().map { $0.isEmpty ? layers.target : $0 }
                    .joined(separator: ", ")
                return "\(layers.target)/\(name):\(line) mentions \(type) of \(owners)"
            }
        }
    }

    /// Files below the façades that name a shared instance.
    static func sharedInstances(in tree: SourceTree) -> [String] {
        tree.below("Sources/Kingfisher").sorted { $0.key < $1.key }.flatMap { name, text in
            Architecture.facades.contains(Architecture.library.folder(of: name))
                ? [] : sharedInstances(name, text)
        }
    }

    private static func sharedInstances(_ name: String, _ text: String) -> [String] {
        guard Architecture.sharedInstances.contains(where: { text.holds(".\($0.member)") }) else {
            return []
        }
        let words = SwiftText(text).words
        return zip(words, words.dropFirst()).compactMap { type, member in
            let isShared = Architecture.sharedInstances.contains {
                $0.type == type.text && $0.member == member.text && member.isMember
            }
            return isShared ? "\(name):\(type.line) names \(type.text).\(member.text)" : nil
        }
    }

    // MARK: Concurrency annotations

    /// Uses of `@unchecked Sendable` without a comment nearby about what guards the state.
    ///
    /// Nearby means in the comment above the declaration, beside it, or right below it.
    static func unexplainedUncheckedSendable(in tree: SourceTree) -> [String] {
        tree.paths.flatMap { path -> [String] in
            let lines = lines(of: tree.files[path] ?? "")
            return lines.indices.compactMap { index in
                let (code, _) = splitComment(lines[index])
                guard code.holds("@unchecked Sendable") else { return nil }
                let near = lines[max(0, index - 20)...min(lines.count - 1, index + 2)]
                let isExplained = near.contains { line in
                    let comment = splitComment(line).comment
                    return comment.contains("@unchecked") || comment.contains("Sendable")
                }
                return isExplained ? nil : "\(path):\(index + 1)"
            }
        }
    }

    /// Uses of `nonisolated(unsafe)`, which the package does not need.
    static func nonisolatedUnsafe(in tree: SourceTree) -> [String] {
        codeLines(of: tree, containing: "nonisolated(unsafe)")
    }

    /// Uses of `UUID()` as an identity: without free descriptors it always returns the same value.
    static func randomIdentities(in tree: SourceTree) -> [String] {
        codeLines(of: tree, containing: "UUID()").filter { $0.hasPrefix("Sources/") }
    }

    /// Threads that are started without `ThreadStarter`: Foundation's `Thread` hides a refusal by
    /// the system, and then all that the thread should do waits forever.
    static func threadStarts(in tree: SourceTree) -> [String] {
        codeLines(of: tree) {
            // Unicode's own word boundaries do not divide words at a full stop.
            ($0.holds("Thread") || $0.holds("pthread"))
                && $0.contains(
                    /\bThread *[({]|: Thread\b|\bThread\.(init|detachNew)|\bpthread_create\b/
                        .wordBoundaryKind(.simple)
                )
        }
        .filter { !$0.hasPrefix(Architecture.threadStarter) }
    }

    /// Threads that sleep otherwise than by `SystemTime.pause`: `RuntimeWatch` takes them for threads
    /// that wait inside libdispatch.
    static func sleepers(in tree: SourceTree) -> [String] {
        codeLines(of: tree) {
            $0.holds("sleep")
                && $0.contains(
                    /\bThread\.sleep\b|(^|[^.\w])(u|nano)?sleep\(/.wordBoundaryKind(.simple)
                )
                && !$0.holds("func sleep(")
        }
    }

    /// Files that `kf` writes otherwise than by `AtomicFile`, which leaves no half of one, follows links,
    /// and keeps what the file has of the system.
    static func plainWrites(in tree: SourceTree) -> [String] {
        codeLines(of: tree) { line in
            [".write(to:", "createFile(", "fopen("].contains { line.holds($0) }
        }
        .filter { $0.hasPrefix("Tools/Sources/") }
    }

    /// Mentions of the main queue or the main actor in files that the list does not explain: what
    /// waits for the main queue never ends in a program whose main thread waits for it.
    static func mainQueueUses(in tree: SourceTree) -> [String] {
        let library = "Sources/Kingfisher/"
        let allowed = Set(Architecture.mainQueueUses.map(\.file))
        return codeLines(of: tree) { code in
            code.holds("ain")
                && code.contains(
                    /\bMainActor\b|Queue\.main\b|\bmain(CurrentOr)?Async\b|RunLoop\.main\b/
                        .wordBoundaryKind(.simple)
                )
        }
        .filter { line in
            guard line.hasPrefix(library) else { return false }
            let file = line.dropFirst(library.count).prefix { $0 != ":" }
            return !allowed.contains(String(file))
                && !Architecture.screens.contains(Architecture.library.folder(of: String(file)))
        }
    }

    private static func codeLines(of tree: SourceTree, containing word: String) -> [String] {
        codeLines(of: tree) { $0.holds(word) }
    }

    private static func codeLines(
        of tree: SourceTree,
        where isMeant: (Substring) -> Bool
    ) -> [String] {
        tree.paths.flatMap { path -> [String] in
            let lines = lines(of: tree.files[path] ?? "")
            return lines.indices
                .filter { isMeant(splitComment(lines[$0]).code) }
                .map { "\(path):\($0 + 1)" }
        }
    }

    // MARK: Tests that are cancelled

    /// Elements of what fills while a test waits, such as the transfers of a fake transport.
    ///
    /// A wait returns early when the time limit of its test cancels it. An element that is missing then
    /// would end the run of all tests.
    static func elementsThatMayBeMissing(in tree: SourceTree) -> [String] {
        codeLines(of: tree) { line in
            [".transfers[", ".requests[", ".value["].contains { line.holds($0) }
        }
        .filter { !$0.hasPrefix("Tests/LayeringTests/") }
    }

    // MARK: Untrusted numbers

    /// Products of sides where sizes come from headers and callers: such a product can trap.
    ///
    /// `PixelSize.byteCount(bytesPerPixel:)` saturates, so that limits reject sizes beyond `Int`.
    static func uncheckedAreas(in tree: SourceTree) -> [String] {
        Architecture.readers.flatMap { folder in
            tree.below(folder).sorted { $0.key < $1.key }.flatMap { name, text -> [String] in
                lines(of: text).enumerated().compactMap { index, line in
                    let code = splitComment(line).code
                    guard code.holds(" *") else { return nil }
                    let isArea =
                        code.contains(/[wW]idth\)*( \* [\w.()]+)* \* [\w.(]*[hH]eight/)
                        || code.contains(/[hH]eight\)*( \* [\w.()]+)* \* [\w.(]*[wW]idth/)
                    let isCount = code.contains(/pixelCount( \?\? [\w.]+)?\)* \*/)
                    return isArea || isCount ? "\(folder)/\(name):\(index + 1)" : nil
                }
            }
        }
    }

    // MARK: Untrusted names

    /// Comparisons and divisions of names by characters, where names come from outside.
    ///
    /// `String` compares by canonical equivalence and its elements are grapheme clusters, but
    /// names of files are bytes. `ByteText` and `utf8` are free of both.
    static func comparedCharacters(in tree: SourceTree) -> [String] {
        Architecture.namers.flatMap { place in
            tree.paths.filter { $0.hasPrefix(place) }.flatMap { path -> [String] in
                lines(of: tree.files[path] ?? "").enumerated().compactMap { index, line in
                    let code = splitComment(line).code
                    guard charactersOfNames.contains(where: code.holds) else { return nil }
                    let isFound =
                        code.contains(/\[String: |Set<String>|Character\b/)
                        || code.contains(/\.has(Prefix|Suffix)\(/)
                        || code.contains(/\.(split\(separator|(first|last)Index\(of): "/)
                        || code.contains(/replacingOccurrences\(|\.lastPathComponent/)
                        || code.contains(/\.prefix \{ \$0 [!=]= "/)
                    return isFound ? "\(path):\(index + 1)" : nil
                }
            }
        }
    }

    /// Parts of the expressions above, one of which each match contains.
    private static let charactersOfNames = [
        "[String: ", "Set<String>", "Character", ".has", "(separator", "Index(of", "replacingOcc",
        ".lastPath", ".prefix {",
    ]

    // MARK: Untrusted bytes

    /// Uses of functions that decode in their own process, in programs that decode in workers.
    ///
    /// `ImageFileInfo(of:options:)`, `ImageFileInfo.isolated(data:)` and loads respect the option.
    static func decodingHere(in tree: SourceTree) -> [String] {
        let places = Architecture.decodingFunctions.flatMap { codeLines(of: tree, containing: $0) }
        let files = Dictionary(grouping: places) { String($0.prefix { $0 != ":" }) }
        return files.filter { path, places in
            Architecture.isolatingFolders.contains { path.hasPrefix($0) }
                && places.count > Architecture.decodingAllowed[path] ?? 0
        }.values.flatMap(\.self).sorted()
    }

    // MARK: Bytes of the cache

    /// Uses of the paths of entries outside the store, whose readers compare the checksums.
    ///
    /// Whoever reads such a path may get a file that another program has put there.
    static func entryPaths(in tree: SourceTree) -> [String] {
        let words = ["cacheFileURL(", "cacheFileURLIfOnDisk(", "cachePath(", "cache.fileURL("]
        return words.flatMap { codeLines(of: tree, containing: $0) }.filter { place in
            !place.hasPrefix("Sources/Kingfisher/Caching/")
                // Returns the paths, after it has read the bytes.
                && !place.hasPrefix("Sources/Kingfisher/Compatibility/LivePhotoLoad.swift")
        }.sorted()
    }

    // MARK: Size

    /// Files that are too long, with their numbers of lines.
    static func overlongFiles(in tree: SourceTree) -> [String] {
        tree.paths.compactMap { path in
            let countsAll = !Architecture.undivided.contains(path)
            let count = lines(of: tree.files[path] ?? "").count { line in
                countsAll || !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("///")
            }
            return count > Architecture.maxLines ? "\(path) has \(count) lines" : nil
        }
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.lines
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func splitComment(_ line: Substring) -> (code: Substring, comment: Substring) {
        line.divided(before: "//") ?? (line, "")
    }
}

extension Architecture.Layers {
    /// Whether the types of one folder may name those of another.
    fileprivate func mayMention(from here: String, to there: String) -> Bool {
        guard here != there else { return true }
        guard let ours = ranks[here], let theirs = ranks[there] else { return false }
        return theirs < ours || (theirs == ours && knotRanks.contains(ours))
    }

    /// The innermost folder of a path that has a rank; otherwise its first folder, or an empty text
    /// for a file in no folder.
    fileprivate func folder(of name: String) -> String {
        let folders = name.split(separator: "/").dropLast().map(String.init)
        let paths = folders.indices.map { folders[...$0].joined(separator: "/") }
        return paths.last { ranks[$0] != nil } ?? paths.first ?? ""
    }
}
