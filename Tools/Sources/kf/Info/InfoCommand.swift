import ArgumentParser
import Foundation
import Kingfisher

/// `kf info`: what the header of a file tells.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints what the header of a picture file tells, without decoding it.",
        discussion: """
            The size, the format told by the bytes, frames and their time, orientation, depth, \
            and whether there is transparency or a colour profile.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A path, a file or data URL, or - for standard input.",
            valueName: "file"
        ),
        transform: Self.place
    )
    var files: [Place]

    @Flag(help: "Print one line of JSON for each file.")
    var json = false

    /// A source that needs no network, and how it was written.
    struct Place {
        let text: String
        let source: PictureSource
    }

    func run() throws {
        var failed = false
        for file in files {
            do {
                let data = try file.source.bytes()
                let info = try ImageFileInfo(data: data)
                let report = InfoReport(file.text, info, byteCount: data.count)
                print(json ? try report.jsonLine() : report.summary())
            } catch {
                // The other files are told about all the same.
                StandardError.write("kf: \(file.text): " + ErrorReport.line(for: error))
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }

    private static func place(_ text: String) throws -> Place {
        let source = try PictureSource(text)
        if case .web = source {
            throw ValidationError(
                "'\(text)' is not on this machine; kf get \(text) -o FILE brings it here"
            )
        }
        return Place(text: text, source: source)
    }
}
