import ArgumentParser
import Foundation
import Synchronization

/// The password of documents.
struct PasswordOptions: ParsableArguments {
    /// The variable of the environment with the password.
    static let variable = "KF_PDF_PASSWORD"

    @Option(
        help: ArgumentHelp(
            "The password of a PDF document. Other users see it in the list of processes; prefer "
                + "--password-file, or \(Self.variable) in the environment.",
            valueName: "text"
        )
    )
    var password: String?

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the password of a PDF document; - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var passwordFile: String?

    /// The first lines of files: standard input can be read once.
    private static let lines = Mutex<[String: String]>([:])

    func validate() throws {
        if password != nil, passwordFile != nil {
            throw ValidationError("--password and --password-file exclude each other")
        }
    }

    /// The option that gives a password; nil for none.
    var name: String? {
        password != nil ? "--password" : passwordFile != nil ? "--password-file" : nil
    }

    /// The password, or that of the environment; nil for none.
    ///
    /// - Throws: A ``Failure`` if the file cannot be read.
    func text() throws -> String? {
        guard let passwordFile else {
            return password ?? ProcessInfo.processInfo.environment[Self.variable]
        }
        return try Self.lines.withLock { lines in
            if let line = lines[passwordFile] { return line }
            let line = try Self.firstLine(of: passwordFile)
            lines[passwordFile] = line
            return line
        }
    }

    private static func firstLine(of path: String) throws -> String {
        let file =
            path == "-"
            ? try InputFile(standardInputPatience: 30) : try InputFile(path: path, patience: 30)
        // PDF's longest password has 127 bytes, and a longer line is none.
        let bytes = try file.beginning(4096)
        return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
}
