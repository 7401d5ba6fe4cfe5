import ArgumentParser
import Kingfisher

/// How files that end early are treated.
struct TruncationOptions: ParsableArguments {
    @Flag(
        help: "Accept a file that ends early: the rest is grey, and the result is not cached."
    )
    var acceptTruncated = false

    /// The library's options.
    var options: KingfisherOptionsInfo { acceptTruncated ? [.acceptsTruncatedFiles] : [] }

    /// The end of a note about a source that was accepted.
    static let note = "the file ends early; the rest of the image is missing"
}
