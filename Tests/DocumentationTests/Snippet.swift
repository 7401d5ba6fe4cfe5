import Foundation

/// A piece of Swift in a Markdown page, fenced as such.
struct Snippet {
    /// How the snippet is compiled; the page says so in a comment above the fence:
    /// `<!-- snippet: file -->`.
    enum Kind: String {
        /// Statements; they are compiled as the body of a function.
        case body
        /// Declarations that must stand at the top of a file.
        case file
        /// Declarations that need the package trait `GTK`; compiled when it is on.
        case gtk
        /// Part of a package manifest, or code that needs other packages; not compiled.
        case manifest
    }

    /// The page, from the root of the repository, and the number of the snippet on it from 1.
    let page: String
    let number: Int
    let kind: Kind
    let code: String

    /// The name of the file that holds the snippet for the compiler: `README.1.swift`.
    var fileName: String {
        let name = (page as NSString).lastPathComponent
        return "\((name as NSString).deletingPathExtension).\(number).swift"
    }

    /// The contents of that file.
    ///
    /// It has only the snippet's own imports, so that a missing one is found.
    var file: String {
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let imports = lines.filter(Self.isImport)
        let rest = lines.drop { Self.isImport($0) || $0.isEmpty }.joined(separator: "\n")
        var text = """
            // Made from \(page) by DocumentationTests; do not edit.
            // swift-format-ignore-file

            \(imports.joined(separator: "\n"))


            """
        switch kind {
        case .body:
            text += "private func snippet() async throws {\n\(rest)\n}\n"
        case .file, .manifest, .gtk:
            text += rest + "\n"
        }
        guard kind == .gtk else { return text }
        let guarded = text.replacing("\nimport", with: "\n#if GTK\nimport", maxReplacements: 1)
        return guarded + "#endif\n"
    }

    private static func isImport(_ line: String) -> Bool {
        line.hasPrefix("import ") || line.hasPrefix("#if canImport")
            || line == "#endif"
    }
}

extension Snippet {
    /// The snippets of a page in order.
    static func all(in text: String, page: String) -> [Snippet] {
        var snippets: [Snippet] = []
        var kind = Kind.body
        var code: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if code != nil {
                if line.trimmingCharacters(in: .whitespaces) == "```" {
                    let text = (code ?? []).joined(separator: "\n")
                    let number = snippets.count + 1
                    snippets.append(Snippet(page: page, number: number, kind: kind, code: text))
                    code = nil
                    kind = .body
                } else {
                    code?.append(String(line))
                }
            } else if line == "```swift" {
                code = []
            } else if let mark = mark(in: line) {
                kind = mark
            }
        }
        return snippets
    }

    private static func mark(in line: Substring) -> Kind? {
        guard line.hasPrefix("<!-- snippet: "), line.hasSuffix(" -->") else { return nil }
        return Kind(rawValue: String(line.dropFirst("<!-- snippet: ".count).dropLast(4)))
    }
}
