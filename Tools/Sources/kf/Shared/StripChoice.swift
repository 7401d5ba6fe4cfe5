import ArgumentParser

/// The metadata that a file loses: the value of `--strip`.
enum StripChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The place where a photograph was taken.
    case gps
    /// Everything that `--keep` does not name.
    case all
}
