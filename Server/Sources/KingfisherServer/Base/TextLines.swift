extension String {
    /// The lines of a text file, empty ones included, without their ends and a byte order mark.
    ///
    /// By bytes: the line end of other systems is one `Character`, at which a text of characters is
    /// not split.
    var textLines: [Substring] {
        let mark = "\u{FEFF}".utf8
        let text = utf8.starts(with: mark) ? utf8.dropFirst(mark.count) : utf8[...]
        return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)
        }
    }
}
