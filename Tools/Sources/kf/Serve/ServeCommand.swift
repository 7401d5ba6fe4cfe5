import ArgumentParser
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `kf serve`: becomes the program `kf-serve`, which is built apart so that this one stays small.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves processed images over HTTP, by the program kf-serve.",
        discussion: """
            All arguments are passed on. The program is looked for beside this one, then in the \
            PATH. Its configuration is its environment; --check prints it.

            Examples:
              kf serve --check
              IMGPROXY_BIND=:9000 KF_PLAYGROUND=1 kf serve
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of kf-serve.")
    var arguments: [String] = []

    func run() throws {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for folder in [folder] + search.map(String.init) {
            Self.become("\(folder)/kf-serve", arguments)
        }
        // kf-serve has a help of its own.
        if [["--help"], ["-h"]].contains(arguments) { throw CleanExit.helpRequest(self) }
        let advice = "build it with Scripts/serve.sh, or install it into the PATH"
        throw ErrorReport.exit(
            for: Failure("the program kf-serve is neither beside kf nor in the PATH; \(advice)")
        )
    }

    /// Replaces this process; returns if that fails, because there is no such program.
    private static func become(_ path: String, _ arguments: [String]) {
        var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        execv(path, pointers)
    }
}
