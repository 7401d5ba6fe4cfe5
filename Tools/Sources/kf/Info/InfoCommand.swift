import ArgumentParser
import Foundation
import Kingfisher

/// `kf info`: prints the properties stated in a file's header.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the properties of an image file without decoding it.",
        discussion: """
            Prints the size, the format detected from the bytes, frames and their duration, \
            orientation, depth, and whether there is transparency or a colour profile. Reads \
            only the beginning of a large file. Of a PDF document it prints the number of pages \
            and the size of the first, and of a video its size, duration and codecs.

            Examples:
              kf info photo.jpg
              kf info --json photos/*.jpg
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A path, a file or data URL, or - for standard input.",
            valueName: "file"
        ),
        completion: .file(),
        transform: Self.source
    )
    var files: [PictureSource]

    @Option(help: ArgumentHelp("The time limit for a silent pipe.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var password: PasswordOptions

    @OptionGroup var out: OutputOptions

    func validate() throws { try LoadOptions.check(timeout: timeout) }

    func run() async throws {
        var failed = false
        for file in files {
            do {
                if let document = file.document {
                    try await printDocument(file, document)
                    continue
                }
                let (info, byteCount) = try file.info(patience: timeout)
                let photograph = file.photograph(patience: timeout)
                try out.print(InfoReport(file, info, photograph, byteCount: byteCount))
            } catch {
                // Continue with the other files.
                let line = ErrorReport.line(for: error, source: file.title)
                out.printFailure(error, source: file.text)
                Terminal.note("kf: " + line, style: .red)
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }

    private func printDocument(_ file: PictureSource, _ document: LocalDocument) async throws {
        let url = URL(fileURLWithPath: document.path)
        let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize
        switch document.kind {
        case .pdf:
            let info = try await PDFDocumentInfo(contentsOf: url, password: password.text())
            try out.print(DocumentReport(file, info, byteCount: size))
        case .video:
            let info = try await VideoInfo(contentsOf: url)
            try out.print(VideoReport(file, info, byteCount: size))
        }
    }

    private static func source(_ text: String) throws -> PictureSource {
        let source = try PictureSource(text)
        if source.isWeb {
            throw ValidationError(
                "'\(text)' is not a local file; download it with kf get \(text) -o FILE"
            )
        }
        return source
    }
}
