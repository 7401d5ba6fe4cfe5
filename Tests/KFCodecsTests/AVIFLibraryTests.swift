import Testing

@testable import KFCodecs

@Suite("libavif is loaded when it is needed")
struct AVIFLibraryTests {
    @Test("A library that is not installed is not found")
    func missing() {
        #expect(AVIFLibrary.find("libnone-such.so") == nil)
    }

    @Test("A file of another library, and a name that is too long, are not taken for libavif")
    func others() {
        // libpng16.so.16 has a number in the range that is tried.
        #expect(AVIFLibrary.find("libpng16.so") == nil)
        #expect(AVIFLibrary.find(String(repeating: "x", count: 4096)) == nil)
    }

    @Test("The error names the library")
    func error() throws {
        let error = CodecError.missingLibrary(.avif, name: "libavif 1.0")
        #expect("\(error)" == "avif: the library libavif 1.0 is not installed")
    }
}
