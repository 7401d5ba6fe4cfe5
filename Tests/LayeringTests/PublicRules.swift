/// Rules of the public API, applied to the sources as text.
enum PublicRules {
    /// Public functions and initialisers that take two closures of one type.
    ///
    /// A trailing closure can be meant for either, so that a test must state which one it is.
    static func closurePairs(in tree: SourceTree) -> [String] {
        let files = tree.paths.filter { $0.hasPrefix("Sources/Kingfisher") }
        let aliases = closureAliases(files.map { tree.files[$0] ?? "" })
        return files.flatMap { path -> [String] in
            signatures(in: tree.files[path] ?? "").compactMap { name, parameters in
                let types = parameters.compactMap { closure($0, aliases) }
                return Set(types).count < types.count ? "\(path): \(name)" : nil
            }
        }
    }

    /// Options that no method of `KFOptionSetter` sets.
    static func optionsWithoutBuilder(in tree: SourceTree) -> [String] {
        let builders = tree.files.filter { $0.key.hasPrefix("Sources/Kingfisher/Display/KF") }
        return options(in: tree).filter { name in
            !optionsOfListsAlone.contains(name) && !builders.values.contains { $0.holds(name) }
        }
    }

    /// Options that no article names, as in `.forceRefresh` or as a link.
    static func optionsWithoutArticle(in tree: SourceTree) -> [String] {
        let articles = tree.files.filter { $0.key.hasSuffix(".md") }
        let named = Set(
            articles.values.flatMap { text in
                text.matches(of: /[.\/](\w+)/).map { String($0.1) }
            }
        )
        return options(in: tree).filter { !named.contains($0) }
    }

    private static func options(in tree: SourceTree) -> [String] {
        let list = tree.files["Sources/Kingfisher/Options/KingfisherOptionsInfo.swift"] ?? ""
        return list.matches(of: /\n +case (\w+)/).map { String($0.1) }
    }

    /// The options for which the original has no such method either.
    private static let optionsOfListsAlone: Set = [
        "alsoPrefetchToMemory", "asyncCacheTypeCheck", "forcedCacheFileExtension",
        "preloadAllAnimationData",
    ]

    /// Documentation of public declarations that explains how they are made instead of what for.
    static func internalNotes(in tree: SourceTree) -> [String] {
        documented(tree).compactMap { place, comment, _ in
            let isNote = ["@unchecked", "@preconcurrency", "mutex", "nonisolated("].contains {
                comment.contains($0)
            }
            return isNote ? place : nil
        }
    }

    /// Public classes and processors whose documentation shows no first use.
    static func typesWithoutExample(in tree: SourceTree) -> [String] {
        documented(tree).compactMap { place, comment, declaration in
            guard
                let match = declaration.firstMatch(of: /^(?:public|open) .*?(class|struct) (\w+)/),
                match.1 == "class" || match.2.hasSuffix("Processor"), !comment.contains("```"),
                !typesOfMachinery.contains(String(match.2))
            else { return nil }
            return place
        }
    }

    /// Types that only the package's other modules use.
    private static let typesOfMachinery: Set = ["JobTable", "RepeatingTimer"]

    /// The public declarations of the library with their documentation.
    private static func documented(
        _ tree: SourceTree
    ) -> [(place: String, comment: String, declaration: Substring)] {
        tree.paths.filter { $0.hasPrefix("Sources/Kingfisher") }.flatMap { path in
            let text = tree.files[path] ?? ""
            let lines = text.lines
            var comment = ""
            return lines.enumerated().compactMap { index, line -> (String, String, Substring)? in
                let code = line.drop { $0 == " " }
                if code.hasPrefix("///") {
                    comment += code + "\n"
                    return nil
                }
                // Attributes stand between the two.
                if code.hasPrefix("@"), !code.contains(" class ") { return nil }
                defer { comment = "" }
                guard code.holds("public") || code.holds("open") else { return nil }
                let isPublic = code.contains(/^(?:@\w+ )?(?:public|open)\b/)
                return isPublic ? ("\(path):\(index + 1)", comment, line) : nil
            }
        }
    }

    /// The names of types that are closures, with the type that they stand for.
    private static func closureAliases(_ texts: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for text in texts where text.holds("typealias") {
            for match in text.matches(of: /typealias (\w+) =\s*([^\n=]*(?:\n[^\n=]*?)*?->[^\n]*)/) {
                found[String(match.1)] = plain(String(match.2))
            }
        }
        return found
    }

    /// The public functions and initialisers of a file with their parameters as text.
    private static func signatures(in text: String) -> [(name: String, parameters: [String])] {
        let start = /(?:public|open)[^\n{(]*(?:func [\w`]+|init\??)(?:<[^>\n]*>)?\(/
        return text.matches(of: start).map { match in
            var depth = 1
            var parameters = [""]
            for character in text[match.range.upperBound...] {
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                guard depth > 0 else { break }
                if character == ",", depth == 1 {
                    parameters.append("")
                } else {
                    parameters[parameters.count - 1].append(character)
                }
            }
            let first = parameters[0].drop { $0.isWhitespace }.prefix { $0 != ":" }
            let name = text[match.range].split(separator: " ").last ?? ""
            return ("\(name)\(first):)", parameters)
        }
    }

    /// The closure's type in one spelling; nil for other parameters.
    private static func closure(_ parameter: String, _ aliases: [String: String]) -> String? {
        guard let colon = parameter.firstIndex(of: ":") else { return nil }
        var type = parameter[parameter.index(after: colon)...]
        if let value = type.firstRange(of: " = ") { type = type[..<value.lowerBound] }
        let name = plain(String(type))
        return aliases[name] ?? (name.contains("->") ? name : nil)
    }

    /// A type without attributes, labels, spaces and the marks of an optional.
    private static func plain(_ type: String) -> String {
        var text = type.replacing(/@\w+/, with: "").replacing(/_ \w+:/, with: "")
        text.removeAll { $0.isWhitespace || $0 == "?" }
        while text.hasPrefix("(("), text.hasSuffix(")"), !text.hasSuffix("()") {
            text = String(text.dropFirst().dropLast())
        }
        return text
    }
}
