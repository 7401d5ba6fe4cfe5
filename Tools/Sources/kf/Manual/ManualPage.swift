import Foundation

/// A manual page in the macros of man(7).
struct ManualPage {
    /// `kf-cache-list`.
    let name: String
    let text: String

    /// The pages of all commands.
    ///
    /// - Parameter help: The argument parser's description of the commands, as JSON.
    /// - Returns: One page per command.
    /// - Throws: A `DecodingError` if the description has an unexpected structure.
    static func all(fromHelp help: Data) throws -> [ManualPage] {
        pages(of: try JSONDecoder().decode(Help.self, from: help).command, below: [])
    }

    private static func pages(of command: Help.Command, below parents: [String]) -> [ManualPage] {
        let words = parents + [command.commandName]
        let children = (command.subcommands ?? []).filter { $0.commandName != "help" }
        return [ManualPage(command, words: words, children: children)]
            + children.flatMap { pages(of: $0, below: words) }
    }

    private init(_ command: Help.Command, words: [String], children: [Help.Command]) {
        let name = words.joined(separator: "-")
        self.name = name
        let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
        let options = arguments.filter { $0.kind != "positional" }
        var lines = [
            ".TH \"\(name.uppercased())\" 1 \"\" \"Kingfisher\" \"Kingfisher for Linux\"",
            ".SH NAME", "\(name) \\- \(Self.escaped(command.abstract ?? ""))",
            ".SH SYNOPSIS", ".B \(words.joined(separator: " "))",
        ]
        let required = arguments.filter { $0.kind == "positional" || $0.isOptional == false }
        let synopsis =
            (options.isEmpty ? [] : ["[\\fIoptions\\fR]"]) + required.map(\.place)
            + (children.isEmpty ? [] : ["\\fIcommand\\fR"])
        lines.append(synopsis.joined(separator: " "))
        if let discussion = command.discussion {
            lines += [".SH DESCRIPTION"] + Self.paragraphs(discussion)
        }
        if !arguments.isEmpty {
            lines.append(".SH OPTIONS")
            for argument in arguments {
                lines += [".TP", "\\fB\(Self.escaped(argument.form))\\fR"]
                lines.append(Self.escaped(argument.explanation))
            }
        }
        if !children.isEmpty {
            lines.append(".SH COMMANDS")
            for child in children {
                lines += [
                    ".TP", "\\fB\(child.commandName)\\fR", Self.escaped(child.abstract ?? ""),
                ]
            }
            let pages = children.map { "\\fB\(name)-\($0.commandName)\\fR(1)" }
            lines += [".SH \"SEE ALSO\"", pages.joined(separator: ", ")]
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Formats help text.
    ///
    /// Indented lines, which are lists and examples, are kept as they are.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            if line.isEmpty { return [".PP"] }
            let text = escaped(String(line))
            return line.hasPrefix(" ") ? [".nf", text, ".fi"] : [text]
        }
    }

    /// Escapes text so that nothing is read as a macro.
    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }
            .joined(separator: "\n")
    }

    /// The part of the parser's description that a page shows.
    private struct Help: Decodable {
        struct Command: Decodable {
            let commandName: String
            let abstract: String?
            let discussion: String?
            let subcommands: [Command]?
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String

                var text: String { (kind == "long" ? "--" : "-") + name }
            }

            let kind: String
            let shouldDisplay: Bool
            let isOptional: Bool?
            let isRepeating: Bool?
            let names: [Name]?
            let valueName: String?
            let abstract: String?
            let defaultValue: String?
            let allValues: [String]?

            /// Its text with values and default, as in the help.
            var explanation: String {
                let values = allValues.map { "values: " + $0.joined(separator: ", ") }
                let standard = kind == "flag" ? nil : defaultValue.map { "default: " + $0 }
                let notes = [values, standard].compactMap { $0 }.joined(separator: "; ")
                return (abstract ?? "") + (notes.isEmpty ? "" : " (\(notes))")
            }

            var title: String { valueName ?? "value" }

            /// Its form in a synopsis, as in `[url]...` or `--output dir`.
            var place: String {
                let long = names?.first { $0.kind == "long" }?.text ?? ""
                guard kind == "positional" else {
                    return "\\fB\(ManualPage.escaped(long))\\fR \\fI\(title)\\fR"
                }
                let value = "\\fI\(title)\\fR"
                return (isOptional == true ? "[\(value)]" : value)
                    + (isRepeating == true ? "..." : "")
            }

            /// An option as in `-o, --output FILE`.
            var form: String {
                guard kind != "positional" else { return title }
                let names = (names ?? []).map(\.text).sorted { $0.count < $1.count }
                return names.joined(separator: ", ") + (kind == "option" ? " " + title : "")
            }
        }

        let command: Command
    }
}
