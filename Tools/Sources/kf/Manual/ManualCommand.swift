import ArgumentParser
import Foundation

/// `kf man`: generates manual pages from the definitions of the help.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man",
        abstract: "Writes manual pages, one per command.",
        discussion: """
            Examples:
              kf man -o ~/.local/share/man/man1
              kf man -o man1 && man ./man1/kf-convert.1
            """
    )

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The output folder; created if missing.", valueName: "dir"),
        completion: .directory
    )
    var output: String

    func run() throws {
        do {
            let pages = try ManualPage.all(fromHelp: Data(KFCommand._dumpHelp().utf8))
            try AtomicFile.makeFolder(output)
            for page in pages {
                let path = (output as NSString).appendingPathComponent(page.name + ".1")
                try AtomicFile.write(Data(page.text.utf8), to: path)
            }
        } catch {
            throw ErrorReport.exit(for: error)
        }
    }
}
