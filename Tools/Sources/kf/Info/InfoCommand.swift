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
            and the size of the first, and of a video its size, duration and codecs. Folders and \
            patterns stand for their images, as in kf convert.

            Examples:
              kf info photo.jpg
              kf info --json photos
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Paths, folders, quoted patterns, file or data URLs, or - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var files: [String] = []

    @OptionGroup var listing: InputOptions

    @Option(help: ArgumentHelp("The time limit for a silent pipe.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var password: PasswordOptions

    @OptionGroup var out: OutputOptions

    func validate() throws {
        try ReadOptions.check(timeout: timeout)
        try listing.check(files, "files")
        for file in files {
            let source = try PictureSource(file)
            if source.isWeb { throw ValidationError(Self.refusal(of: source)) }
        }
    }

    func run() async throws {
        let failures = Failures()
        let report = { (error: any Error, text: String, title: String) in
            // Continue with the other files.
            let line = ErrorReport.line(for: error, source: title)
            out.printFailure(error, source: text)
            Terminal.note("kf: " + line, style: .red)
            failures.add(line)
        }
        let sources: [PictureSource]
        let missing: [(String, any Error)]
        do {
            let texts = try listing.all(files, patience: timeout)
            (sources, missing) = try listing.sources(of: texts, leavingOut: nil)
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
        for (input, error) in missing { report(error, input, input) }
        if !out.quiet, let name = password.name {
            LocalDocument.Kind.pdf.noteUnused(name, by: sources.compactMap(\.document?.path))
        }
        for source in sources {
            do {
                try await print(source)
                failures.addImage()
            } catch {
                report(error, source.text, source.title)
            }
        }
        try out.print(failures.summary, of: listing, files)
        if !failures.all.isEmpty { throw ExitCode.failure }
    }

    private func print(_ file: PictureSource) async throws {
        if file.isWeb { throw Failure(Self.refusal(of: file)) }
        if let document = file.document {
            try await printDocument(file, document)
            return
        }
        let (info, byteCount) = try file.info(patience: timeout)
        let photograph = file.photograph(patience: timeout)
        try out.print(InfoReport(file, info, photograph, byteCount: byteCount))
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

    private static func refusal(of source: PictureSource) -> String {
        "'\(source.text)' is not a local file; download it with kf get \(source.text) -o FILE"
    }
}
