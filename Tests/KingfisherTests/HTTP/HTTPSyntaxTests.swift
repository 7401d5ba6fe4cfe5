import Testing

@testable import Kingfisher

struct HTTPSyntaxTests {
    @Test(arguments: [
        ("", true), ("a!~", true), ("\u{E9}", true), ("a b", false), ("a\tb", false),
        ("\u{1F}", false), ("\u{7F}", false), ("\0", false),
    ])
    func `a text is visible without spaces and control characters`(text: String, isVisible: Bool) {
        #expect(HTTPSyntax.isVisible(text) == isVisible)
    }

    @Test(arguments: [
        ("", true), (" ~\t", true), ("\u{E9}", true), ("\u{1F}", false), ("\u{7F}", false),
        ("a\r\nb: c", false),
    ])
    func `the value of a field has no control characters but tabs`(text: String, isValue: Bool) {
        #expect(HTTPSyntax.isFieldValue(text) == isValue)
    }
}
