import Foundation
import NIOCore
import Testing

@testable import KingfisherServer

struct HeaderTests {
    @Test(
        "File names cannot end their field, and are readable to old and new clients",
        arguments: [
            ("photo", #"inline; filename="photo.jpg""#), ("", #"inline; filename="image.jpg""#),
            ("a\"b\\c/d", #"inline; filename="a_bcd.jpg"; filename*=UTF-8''a%22bcd.jpg"#),
            ("a\r\nSet-Cookie: x=1", #"inline; filename="aSet-Cookie: x=1.jpg""#),
            ("\u{202E}gpj", #"inline; filename="gpj.jpg""#),
            ("100%", #"inline; filename="100_.jpg"; filename*=UTF-8''100%25.jpg"#),
            ("über", #"inline; filename="_ber.jpg"; filename*=UTF-8''%C3%BCber.jpg"#),
        ]
    )
    func disposition(name: String, value: String) {
        let found = ContentDisposition.value(
            name: name,
            fileExtension: "jpg",
            isAttachment: false
        )
        #expect(found == value)
    }

    @Test("A long file name is cut")
    func longName() {
        let name = String(repeating: "é", count: 100_000)
        let value = ContentDisposition.value(
            name: name,
            fileExtension: "png",
            isAttachment: true
        )
        #expect(value.utf8.count < 2000)
    }

    @Test(
        "Lists of entity tags",
        arguments: [
            (#""a""#, true), (#"W/"a""#, true), ("*", true), (#""b", "a""#, true),
            (#""b" , W/"c","a""#, true), (#""b""#, false), ("", false), ("a", false),
            (#""a"#, false), (#""""#, false), (",,,", false), (#"W/a"#, false),
        ]
    )
    func tags(condition: String, matches: Bool) {
        #expect(EntityTags.matches(condition, "a") == matches)
    }

    @Test("Dates can be read back, and others are refused")
    func dates() {
        #expect(HTTPTime.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPTime.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        for text in [
            "", "Sun", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        ] {
            #expect(HTTPTime.seconds(text) == nil, "\(text)")
        }
    }

    @Test("Identifiers of requests are the client's only if they are harmless")
    func identifiers() {
        #expect(RequestID.accepted("abc-1.2_3:4") == "abc-1.2_3:4")
        for text in ["", "a b", "a\"", "ä", String(repeating: "a", count: 65)] {
            #expect(RequestID.accepted(text) != text)
        }
        #expect(RequestID.accepted(nil) != RequestID.accepted(nil))
    }

    @Test("Results can be read back from a file, and damaged files cannot")
    func stored() throws {
        let facts = StoredResult.Facts(
            contentType: "image/png",
            fileExtension: "png",
            width: 1,
            height: 2,
            entityTag: "tag",
            passedFields: ["x-a": "1"],
            sourceSize: 3,
            created: 4
        )
        let body = Data([1, 2, 3])
        let data = try StoredResult(facts: facts, body: .init(bytes: body)).encoded()
        let read = try #require(StoredResult(encoded: data))
        #expect(read.facts == facts)
        #expect(read.body == .init(bytes: body))
        for count in 0..<(data.count - body.count) {
            #expect(StoredResult(encoded: data.prefix(count)) == nil)
        }
        #expect(StoredResult(encoded: Data("KFR1".utf8) + [255, 255, 255, 255, 0]) == nil)
    }

    @Test("A result that an earlier version stored is read")
    func kept() throws {
        let facts = #"""
            {"contentType":"image/png","fileExtension":"png","width":1,"height":2,\#
            "entityTag":"tag","passedFields":{"x-a":"1"},"sourceSize":3,"created":4}
            """#
        let file = Data("KFR2".utf8) + [UInt8(facts.utf8.count), 0, 0, 0] + Data(facts.utf8)
        let read = try #require(StoredResult(encoded: file + [1, 2, 3]))
        #expect(read.facts.contentType == "image/png")
        #expect(read.facts.fileExtension == "png")
        #expect(read.facts.width == 1)
        #expect(read.facts.height == 2)
        #expect(read.facts.entityTag == "tag")
        #expect(read.facts.passedFields == ["x-a": "1"])
        #expect(read.facts.sourceSize == 3)
        #expect(read.facts.created == 4)
        #expect(read.body == .init(bytes: [1, 2, 3]))
    }
}
