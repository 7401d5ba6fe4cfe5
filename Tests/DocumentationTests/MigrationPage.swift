import Foundation

/// The migration page: a table of how every type and option of the original exists here, made of
/// the list that `Scripts/api.sh` checks and of notes about the differences.
struct MigrationPage {
    /// One line of the list.
    private struct Declaration {
        let kind: Substring
        let place: String
        let text: String
        let reason: Substring?

        /// Whether it is missing here.
        var isAbsent: Bool { kind.hasPrefix("-") }
        /// Whether the original has no such case.
        var isAdded: Bool { kind == "added" }
        /// Whether it is declared unchanged.
        var isSame: Bool { kind == "portable" }
        /// The subject under which it is listed: the outermost type, or the wrapper of one.
        var subject: String {
            guard !place.isEmpty else { return typeName ?? text }
            return place.contains(" where ")
                ? place : String(place.prefix { $0 != "." })
        }

        /// The name of a member: the word after `func`, `var` or `case`, without arguments.
        var name: String {
            let words = text.split(separator: " ")
            let keywords: Set = [
                "open", "static", "func", "var", "case", "struct", "enum", "class", "protocol",
                "typealias",
                "associatedtype",
            ]
            let name = words.drop { keywords.contains(String($0)) }.first ?? ""
            return String(name.prefix { !"(:<".contains($0) })
        }

        private var typeName: String? {
            let words = text.split(separator: " ").drop { $0 == "open" }
            let kinds = ["struct", "enum", "class", "protocol", "typealias"]
            guard let first = words.first, kinds.contains(String(first)) else { return nil }
            return words.dropFirst().first.map { String($0.prefix { $0 != "<" }) }
        }
    }

    /// The text of the page.
    let text: String
    /// Names that lack a required note, and notes without a name.
    let complaints: [String]

    /// Makes the page from the two lists.
    init(list: String, notes: String) {
        var notes = Self.table(notes)
        let unused = Set(notes.keys)
        var used: Set<String> = []
        var complaints: [String] = []
        func note(_ name: String) -> String {
            used.insert(name)
            if notes[name] == nil {
                complaints.append("\(name) needs a note")
                notes[name] = "?"
            }
            return notes[name] ?? "?"
        }
        var text = Self.head
        for (title, declarations) in Self.sections(list) {
            text += "\n### \(title)\n\n| in the original | here | |\n|---|---|---|\n"
            for (subject, members) in Self.bySubject(declarations) {
                text += Self.row(subject, members, note)
            }
        }
        text += "\n## Options\n\n| in the original | here | |\n|---|---|---|\n"
        for option in Self.options(list) {
            let name = option.text.dropFirst("case ".count).prefix { $0 != "(" }
            let remark = option.isSame ? "" : note("KingfisherOptionsInfoItem.\(name)")
            text += "| `.\(name)` | \(option.isSame ? "the same" : "adapted") | \(remark) |\n"
        }
        self.text = text
        self.complaints =
            complaints + unused.subtracting(used).sorted().map { "nothing needs the note on \($0)" }
    }

    private static let head = """
        # Migrating from Apple's platforms

        Which types and options of the original are the same here, which differ, and what replaces the rest.

        <!-- Made from Tests/Contract by DocumentationTests; do not edit. -->

        ## Overview

        Code that uses only types marked *the same* or *adapted* compiles unchanged, apart from the members that a
        row lists after *without*. An adapted type has this library's types where the original has the system's, or
        does the same by other means. For a type that is absent the last column names a replacement.

        The module has the same name. With a manifest that chooses the package by the platform, the sources of a
        program say `import Kingfisher` on Linux and on Apple's platforms; <doc:Recipes>
        shows one.

        ## Types

        """

    /// A type's row, and one for each kind of its missing members.
    private static func row(
        _ subject: String,
        _ members: [Declaration],
        _ note: (String) -> String
    ) -> String {
        let present = members.filter { !$0.isAbsent }
        let absent = members.filter(\.isAbsent)
        let title =
            "`\(subject.replacingOccurrences(of: "KingfisherWrapper where Base: ", with: ".kf of "))`"
        guard !present.isEmpty else {
            let reasons = reasons(of: absent)
            return "| \(title) | absent: \(reasons) | \(note(subject)) |\n"
        }
        guard members.contains(where: { !$0.isSame }) else { return "| \(title) | the same | |\n" }
        let how = present.contains { !$0.isSame } ? "adapted" : "the same"
        var missing = ""
        if !absent.isEmpty {
            let names = absent.map { "`\($0.name)`" }
            let unique = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }
            missing =
                ", without \(unique.map(\.element).joined(separator: ", "))"
                + " (\(reasons(of: absent)))"
        }
        return "| \(title) | \(how)\(missing) | \(note(subject)) |\n"
    }

    private static func reasons(of declarations: [Declaration]) -> String {
        let all = declarations.compactMap { $0.reason.map { String($0.prefix { $0 != ";" }) } }
        return all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }
            .map(\.element).joined(separator: ", ")
    }

    private static func bySubject(
        _ declarations: [Declaration]
    ) -> [(subject: String, members: [Declaration])] {
        var order: [String] = []
        var members: [String: [Declaration]] = [:]
        for declaration in declarations {
            if members[declaration.subject] == nil { order.append(declaration.subject) }
            members[declaration.subject, default: []].append(declaration)
        }
        return order.map { ($0, members[$0] ?? []) }
    }

    private static func options(_ list: String) -> [Declaration] {
        sections(list).flatMap(\.declarations).filter {
            $0.place == "KingfisherOptionsInfoItem" && $0.text.hasPrefix("case ") && !$0.isAdded
        }
    }

    /// The sections of the list, each type in the section where it comes first.
    private static func sections(
        _ list: String
    ) -> [(title: String, declarations: [Declaration])] {
        var sections: [(title: String, declarations: [Declaration])] = []
        var homes: [String: Int] = [:]
        for line in list.split(separator: "\n") {
            if line.hasPrefix("# ") {
                let title = line.drop { !$0.isLetter }
                sections.append((title.replacingOccurrences(of: "`", with: ""), []))
            }
            guard let declaration = declaration(line), !sections.isEmpty else { continue }
            let home = homes[declaration.subject, default: sections.count - 1]
            homes[declaration.subject] = home
            sections[home].declarations.append(declaration)
        }
        return sections.filter { !$0.declarations.isEmpty }
    }

    private static func declaration(_ line: Substring) -> Declaration? {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count >= 3 else { return nil }
        let place = fields[1].hasPrefix("extension ") ? fields[1].dropFirst(10) : fields[1]
        return Declaration(
            kind: fields[0].hasPrefix("?") ? fields[0].dropFirst() : fields[0],
            place: String(place),
            text: String(fields[2]),
            reason: fields.count > 3 ? fields[3] : nil
        )
    }

    private static func table(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 1)
            if fields.count == 2 { table[String(fields[0])] = String(fields[1]) }
        }
        return table
    }
}
