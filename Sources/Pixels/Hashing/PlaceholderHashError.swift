/// Why a text or bytes are no placeholder hash.
package enum PlaceholderHashError: Error, Hashable, Sendable {
    /// The header asks for another length.
    case wrongLength(found: Int, expected: Int)
    /// The character at this offset is none of the 83.
    case invalidCharacter(offset: Int)
    /// The header says what no encoder writes.
    case invalidHeader
}
