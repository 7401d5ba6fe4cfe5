/// Why text or bytes are not a valid placeholder hash.
package enum PlaceholderHashError: Error, Hashable, Sendable {
    /// The header requires another length.
    case wrongLength(found: Int, expected: Int)
    /// The character at this offset is not one of the 83.
    case invalidCharacter(offset: Int)
    /// The header has values that no encoder writes.
    case invalidHeader
}
