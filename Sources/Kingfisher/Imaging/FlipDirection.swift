/// Which way a picture is mirrored.
public enum FlipDirection: String, Hashable, Sendable, CaseIterable {
    /// Left becomes right.
    case horizontal
    /// Top becomes bottom.
    case vertical
}
