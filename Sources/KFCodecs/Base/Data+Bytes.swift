import FoundationEssentials

extension ContiguousBytes {
    /// Calls `body` with the bytes.
    ///
    /// Unlike Foundation's method, it keeps the type of the error.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(CodecError) -> Result in try body(bytes) }
        }.get()
    }
}
