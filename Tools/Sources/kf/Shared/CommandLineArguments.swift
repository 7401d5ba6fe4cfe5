import ArgumentParser
import Foundation

/// The arguments of the program.
enum CommandLineArguments {
    /// The arguments without the name of the program.
    static let all = Array(CommandLine.arguments.dropFirst())

    /// The numbers of the arguments that are not UTF-8, and are changed in ``all``.
    private static let broken: Set<Int> = {
        let arguments = UnsafeBufferPointer(
            start: CommandLine.unsafeArgv,
            count: Int(CommandLine.argc)
        )
        let bad = arguments.indices.dropFirst().filter { number in
            arguments[number].map { String(validatingCString: $0) == nil } ?? false
        }
        return Set(bad.map { $0 - 1 })
    }()

    /// The first option whose value is not UTF-8, such as the name of an output; nil without one.
    ///
    /// Several such names would become one. Inputs are no options: they are reported one by one when
    /// they cannot be read.
    static func brokenOption() -> String? {
        guard !broken.isEmpty, var command = root() else { return nil }
        var index = 0
        while index < all.count {
            let word = all[index]
            if word == "--" { return nil }
            if word.hasPrefix("-"), word.count > 1 {
                let takesNext = command.option(word)?.kind == "option"
                if broken.contains(index) || takesNext && broken.contains(index + 1) {
                    return word
                }
                if takesNext { index += 1 }
            } else {
                command = command.subcommands?.first { $0.commandName == word } ?? command
            }
            index += 1
        }
        return nil
    }

    /// Whether a word of its own asks for help.
    static var askForHelp: Bool { all.contains { ["-h", "--help", "help"].contains($0) } }

    /// The message for the first word that should name a command and does not; nil without one.
    ///
    /// The parser calls all of them unexpected, or shows the help of the command above.
    static func unknownCommand(in arguments: [String] = all) -> String? {
        guard var command = root() else { return nil }
        let asksForHelp = arguments.first == "help"
        var path = ""
        for word in arguments.dropFirst(asksForHelp ? 1 : 0) where word != "help" {
            let below = command.subcommands ?? []
            if word.hasPrefix("-") || below.isEmpty && !asksForHelp { return nil }
            guard let next = below.first(where: { $0.commandName == word }) else {
                let names = below.map(\.commandName).filter { $0 != "help" }
                return noCommand(LibraryErrorText.shown(word), below: path, among: names)
            }
            command = next
            path += word + " "
        }
        return nil
    }

    private static func noCommand(
        _ word: String,
        below path: String,
        among names: [String]
    )
        -> String
    {
        let message = "there is no command '\(path)\(word)'"
        let close = names.map { (name: $0, distance: distance($0, word)) }
            .min { $0.distance < $1.distance }
        if let close, close.distance <= max(1, word.count / 3) {
            return "\(message); did you mean '\(path)\(close.name)'?"
        }
        if path.isEmpty, word.contains("://") || FileManager.default.fileExists(atPath: word) {
            return "\(message); kf get \(word) loads an image"
        }
        return names.isEmpty ? message : "\(message); there are \(names.joined(separator: ", "))"
    }

    /// What to write for a file with the name of an option; nil if there is none.
    static func advice(for option: String) -> String? {
        FileManager.default.fileExists(atPath: option) ? "; write ./\(option) for the file" : nil
    }

    /// The parser's message, with advice for a value such as `-1`, which it takes for an option.
    static func withAdviceForDash(_ message: String, of arguments: [String] = all) -> String {
        guard message.hasPrefix("Error: Missing value for '"),
            let line = message.split(separator: "\n").first,
            let option = line.split(separator: "'").last?.prefix(while: { $0 != " " }),
            let index = arguments.firstIndex(of: String(option)),
            arguments.dropFirst(index + 1).first?.hasPrefix("-") == true
        else { return message }
        let advice = "; write \(option)=VALUE for one that begins with a dash"
        return line + advice + message.dropFirst(line.count)
    }

    /// The parser's message, which quotes values, without headers and without URLs that a sentence
    /// would cut.
    static func withoutSecrets(_ message: String, of arguments: [String] = all) -> String {
        var values: [(text: String, shown: String)] = []
        for (index, word) in arguments.enumerated() {
            if word.hasPrefix("--header=") {
                values.append(hidden(String(word.dropFirst("--header=".count))))
            } else if index > 0, arguments[index - 1] == "--header" {
                values.append(hidden(word))
            } else {
                values.append((word, word.hidingCutURL))
            }
        }
        return values.filter { !$0.text.isEmpty && $0.text != $0.shown }
            .reduce(message) { $0.replacingOccurrences(of: $1.text, with: $1.shown) }
    }

    /// A header, and the text that replaces it.
    ///
    /// Other words may contain a short header, so it is replaced only where the parser quotes it.
    private static func hidden(_ header: String) -> (text: String, shown: String) {
        header.count < 8 ? ("'\(header)'", "'…'") : (header, "…")
    }

    /// The number of letters to insert, to remove or to replace.
    private static func distance(_ a: String, _ b: String) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let cost = letter == other ? diagonal : diagonal + 1
                diagonal = row[j + 1]
                row[j + 1] = min(cost, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }

    private static func root() -> Help.Command? {
        (try? JSONDecoder().decode(Help.self, from: Data(KFCommand._dumpHelp().utf8)))?.command
    }

    /// The first option that the named command does not have; nil without one.
    ///
    /// The parser reports missing arguments and wrong values before it.
    static func firstUnknownOption(in arguments: [String] = all) -> String? {
        guard var command = root() else { return nil }
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" { return nil }
            guard word.hasPrefix("-"), word.count > 1, Double(word) == nil else {
                command = command.subcommands?.first { $0.commandName == word } ?? command
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = command.option(name) else {
                return command.hasShortFlags(name) ? nil : name
            }
            if option.kind == "option", !word.contains("=") { _ = rest.popFirst() }
        }
        return nil
    }

    /// The part of the parser's description that names options.
    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    let kind: String
                    let name: String
                }

                let kind: String
                let names: [Name]?
            }

            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?

            func option(_ text: String) -> Argument? {
                arguments?.first { argument in
                    argument.names?.contains { text == ($0.kind == "long" ? "--" : "-") + $0.name }
                        == true
                }
            }

            /// Whether a word is several flags of one letter, such as `-qv`.
            func hasShortFlags(_ text: String) -> Bool {
                !text.hasPrefix("--") && text.dropFirst().allSatisfy { option("-\($0)") != nil }
            }
        }

        let command: Command
    }
}
