import Foundation

/// Loads Swift's runtime and Foundation, and ends: the least that any such program takes.
@main
struct BareStart {
    static func main() async {
        print(FileManager.default.currentDirectoryPath)
        fflush(nil)
    }
}
