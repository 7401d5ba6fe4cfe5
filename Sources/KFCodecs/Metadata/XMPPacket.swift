import FoundationEssentials
import KFPixels

/// An XMP packet.
///
/// It is searched as text, without an XML parser: properties are found by their usual prefixes.
///
/// Source: ISO 16684-1 (XMP), 7; Adobe, XMP Specification Part 3, 1.1.3.1.
struct XMPPacket {
    private let bytes: [UInt8]

    /// The most bytes of a text, and the most texts of a list: more are an attack.
    private static let (maxTextBytes, maxTexts) = (8192, 32)

    /// Opens a packet; nil unless it is one in UTF-8.
    init?(_ data: Data) {
        guard String(validating: data, as: UTF8.self) != nil else { return nil }
        self.init(Array(data))
        guard index(of: "<rdf:RDF", from: 0) != nil else { return nil }
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The packet for an upright bitmap of another size.
    ///
    /// Its thumbnails are removed, and so is the name of a second packet, which is not kept.
    func adapted(to size: PixelSize) -> Data {
        let (width, height) = ("\(size.width)", "\(size.height)")
        let changes = [
            ("tiff:Orientation", "1"), ("tiff:ImageWidth", width), ("tiff:ImageLength", height),
            ("exif:PixelXDimension", width), ("exif:PixelYDimension", height),
        ]
        var packet = self
        for (name, value) in changes { packet = packet.setting(name, to: value) }
        packet = packet.setting("xmpNote:HasExtendedXMP", to: nil)
        for name in ["xmp:Thumbnails", "xap:Thumbnails"] { packet = packet.without(name) }
        return Data(packet.bytes)
    }

    /// The packet without coordinates and places; nil if it has none.
    ///
    /// Spaces at its end replace the removed bytes, so that nothing moves in the file.
    var withoutPosition: Data? {
        var packet = self
        while let place = packet.index(of: "exif:GPS", from: 0) {
            let name = packet.bytes[place...].prefix { byte in
                UInt8(ascii: "A")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: ":")
            }
            let next = packet.setting(String(decoding: name, as: UTF8.self), to: nil)
            // An unusual notation: then nothing of the packet is kept.
            guard next.bytes.count < packet.bytes.count else {
                return Data(repeatElement(UInt8(ascii: " "), count: bytes.count))
            }
            packet = next
        }
        for name in ["LocationCreated", "LocationShown"] {
            packet = packet.without("Iptc4xmpExt:\(name)")
        }
        let removed = bytes.count - packet.bytes.count
        guard removed > 0 else { return nil }
        return Data(packet.bytes + repeatElement(UInt8(ascii: " "), count: removed))
    }

    /// A new packet with `dc:creator` and `dc:rights`; nil if there are none.
    var copyright: Data? {
        let creators = texts(of: "dc:creator")
        // The first language is the default one.
        let rights = texts(of: "dc:rights").first
        guard !creators.isEmpty || rights != nil else { return nil }
        var text = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
            <x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
            """
        if !creators.isEmpty {
            let items = creators.map { "<rdf:li>\($0)</rdf:li>" }.joined()
            text += "<dc:creator><rdf:Seq>\(items)</rdf:Seq></dc:creator>"
        }
        if let rights {
            text += "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">\(rights)</rdf:li>"
            text += "</rdf:Alt></dc:rights>"
        }
        text += "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        return Data(text.utf8)
    }

    // MARK: - Changes

    /// A property in one of its two notations: `name="value"` or `<name>value</name>`.
    private struct Property {
        var whole: Range<Int>
        var value: Range<Int>
    }

    /// The packet with the value of a property replaced where it occurs; nil removes it.
    private func setting(_ name: String, to value: String?) -> XMPPacket {
        var result: [UInt8] = []
        var start = 0
        for property in properties(name) {
            let range = value == nil ? property.whole : property.value
            result += bytes[start..<range.lowerBound]
            result += value.map { Array($0.utf8) } ?? []
            start = range.upperBound
        }
        return start == 0 ? self : XMPPacket(result + bytes[start...])
    }

    /// The packet without the elements of a name.
    private func without(_ name: String) -> XMPPacket {
        var result: [UInt8] = []
        var start = 0
        let close = "</\(name)>"
        while let first = index(of: "<\(name)", from: start),
            let last = index(of: close, from: first)
        {
            result += bytes[start..<first]
            start = last + close.utf8.count
        }
        return start == 0 ? self : XMPPacket(result + bytes[start...])
    }

    private func properties(_ name: String) -> [Property] {
        var found: [Property] = []
        var start = 0
        while let place = index(of: name, from: start) {
            start = place + name.utf8.count
            guard let property = property(name, at: place) else { continue }
            found.append(property)
            start = property.whole.upperBound
        }
        return found
    }

    private func property(_ name: String, at place: Int) -> Property? {
        guard place > 0 else { return nil }
        let end = place + name.utf8.count
        if bytes[place - 1] == UInt8(ascii: "<") {
            let close = "</\(name)>"
            guard end < bytes.count, bytes[end] == UInt8(ascii: ">"),
                let last = bytes[end...].firstIndex(of: UInt8(ascii: "<")), has(close, at: last)
            else { return nil }
            return Property(whole: place - 1..<last + close.utf8.count, value: end + 1..<last)
        }
        let sign = afterSpace(end)
        guard isSpace(bytes[place - 1]), sign < bytes.count, bytes[sign] == UInt8(ascii: "=")
        else { return nil }
        let quote = afterSpace(sign + 1)
        guard quote < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[quote]),
            let last = bytes[(quote + 1)...].firstIndex(of: bytes[quote])
        else { return nil }
        return Property(whole: place..<last + 1, value: quote + 1..<last)
    }

    // MARK: - Texts

    /// The texts in the list that is a property's value, as they stand in XML.
    private func texts(of name: String) -> [String] {
        guard let start = index(of: "<\(name)>", from: 0),
            let end = index(of: "</\(name)>", from: start)
        else { return [] }
        let list = XMPPacket(Array(bytes[start..<end]))
        var found: [String] = []
        var place = 0
        while found.count < Self.maxTexts, let item = list.index(of: "<rdf:li", from: place),
            let open = list.bytes[item...].firstIndex(of: UInt8(ascii: ">"))
        {
            let text = list.bytes[(open + 1)...].prefix { $0 != UInt8(ascii: "<") }
            place = text.endIndex
            guard list.has("</rdf:li>", at: place), text.count <= Self.maxTextBytes else {
                continue
            }
            let string = String(decoding: text, as: UTF8.self)
            if Self.isText(string) { found.append(string) }
        }
        return found
    }

    /// Whether a text between tags can be copied into another XML document as it stands.
    private static func isText(_ text: String) -> Bool {
        guard text.unicodeScalars.contains(where: { $0.value > 32 }),
            !text.unicodeScalars.contains(where: { scalar in
                scalar.value < 32 && !["\t", "\n", "\r"].contains(scalar)
                    || scalar.value & 0xFFFE == 0xFFFE
            })
        else { return false }
        // As bytes: an accent after an ampersand makes one character of both.
        let bytes = Array(text.utf8)
        guard bytes.firstRange(of: "]]>".utf8) == nil else { return false }
        return bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .dropFirst().allSatisfy(startsWithReference)
    }

    /// Whether the bytes after an ampersand begin with a reference that every document knows.
    private static func startsWithReference(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let end = bytes.firstIndex(of: UInt8(ascii: ";")) else { return false }
        let name = String(decoding: bytes[..<end], as: UTF8.self)
        if ["amp", "lt", "gt", "quot", "apos"].contains(name) { return true }
        // `UInt32` would also accept a sign.
        guard name.hasPrefix("#"), !name.contains("+") else { return false }
        let number =
            name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return number.map { (32..<0xD800).contains($0) } ?? false
    }

    // MARK: - Bytes

    private func index(of text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        var place = start
        while place <= bytes.count - wanted.count {
            guard let next = bytes[place...].firstIndex(of: wanted[0]) else { return nil }
            if has(text, at: next) { return next }
            place = next + 1
        }
        return nil
    }

    private func has(_ text: String, at place: Int) -> Bool {
        bytes.count - place >= text.utf8.count && bytes[place...].starts(with: text.utf8)
    }

    private func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

    private func afterSpace(_ place: Int) -> Int {
        bytes[place...].firstIndex { !isSpace($0) } ?? bytes.count
    }
}
