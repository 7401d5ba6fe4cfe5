import Foundation

/// Writes a drawing anew, with nothing but the elements and attributes of ``DrawingRules``.
///
/// No markup of the file is copied: every name is one of the lists, and every value is escaped. How a browser would have read the
/// file does not matter.
struct DrawingSanitizer {
    /// The largest result: escapes take up to five bytes for one.
    static let maximalSize = 2 * DrawingText.maximalSize

    private var output = Data()
    /// The kept elements that are open.
    private var open: [String] = []
    /// The number of open elements that are left out, together with all within them.
    private var skipped = 0
    /// Whether the last tag has no closing bracket yet.
    private var isTagOpen = false
    private var style = ""
    private var references = DrawingReferences()

    private init() {}

    /// The drawing without what could run, load a file, or lead out of it.
    ///
    /// - Parameter file: The bytes of an SVG file.
    /// - Returns: A file in UTF-8; the same for the same bytes.
    /// - Throws: ``DrawingFault`` if the file is not well-formed or above a limit, declares entities, or has a style sheet that loads
    ///   something.
    static func sanitized(_ file: Data) throws(DrawingFault) -> Data {
        var reader = try MarkupReader(file)
        var writer = DrawingSanitizer()
        while let part = try reader.next() {
            switch part {
            case .start(let element): try writer.begin(element)
            case .end: try writer.end()
            case .text(let text): writer.add(text)
            }
            guard writer.output.count + writer.style.utf8.count <= maximalSize else {
                throw DrawingFault("it has more than \(maximalSize) bytes without scripts")
            }
        }
        try writer.references.check()
        return writer.output
    }

    private mutating func begin(_ element: MarkupReader.Element) throws(DrawingFault) {
        let name = element.name.local
        let isKnown =
            element.name.space == DrawingRules.namespace && DrawingRules.elements.contains(name)
        guard !open.isEmpty || isKnown && name == "svg" else {
            throw DrawingFault("its first element is not svg in the namespace of SVG")
        }
        guard skipped == 0, isKnown, open.last != "style" else {
            skipped += 1
            return
        }
        let attributes = element.attributes.compactMap {
            DrawingRules.kept($0.name, $0.value, of: name)
        }
        // An animation of anything else could make a link of an attribute.
        if DrawingRules.animations.contains(name),
            !attributes.contains(where: { $0.name == "attributeName" })
        {
            skipped += 1
            return
        }
        if name == "style", let type = attributes.first(where: { $0.name == "type" })?.value,
            !["", "text/css"].contains(type.lowercased())
        {
            throw DrawingFault("it has a style sheet that is not CSS")
        }
        closeTag()
        write("<\(name)")
        if open.isEmpty {
            write(
                " xmlns=\"\(DrawingRules.namespace)\" xmlns:xlink=\"\(DrawingRules.linkNamespace)\""
            )
        }
        for attribute in attributes {
            write(" \(attribute.name)=\"")
            write(attribute.value, escaping: "&<>\"\t\n\r")
            write("\"")
        }
        open.append(name)
        isTagOpen = true
        references.begin(
            attributes.first { $0.name == "id" }?.value,
            attributes.flatMap(\.targets)
        )
    }

    private mutating func end() throws(DrawingFault) {
        guard skipped == 0 else {
            skipped -= 1
            return
        }
        let name = open.removeLast()
        references.end()
        if name == "style" {
            guard DrawingStyle.targets(of: style) != nil else {
                throw DrawingFault("it has a style sheet that may load something")
            }
            if !style.isEmpty { closeTag() }
            write(style, escaping: "&<>\r")
            style = ""
        }
        write(isTagOpen ? "/>" : "</\(name)>")
        isTagOpen = false
    }

    private mutating func add(_ text: String) {
        guard skipped == 0 else { return }
        if open.last == "style" {
            style += text
        } else {
            closeTag()
            write(text, escaping: "&<>\r")
        }
    }

    private mutating func closeTag() {
        if isTagOpen { write(">") }
        isTagOpen = false
    }

    private mutating func write(_ text: String) { output.append(contentsOf: text.utf8) }

    private mutating func write(_ text: String, escaping special: StaticString) {
        for byte in text.utf8 {
            if byte < 0x40,
                (0..<special.utf8CodeUnitCount).contains(where: { special.utf8Start[$0] == byte })
            {
                output.append(contentsOf: "&#\(byte);".utf8)
            } else {
                output.append(byte)
            }
        }
    }
}

/// Counts the elements that a drawing shows, those that it shows several times included.
///
/// A few elements that use each other twice stand for any number.
struct DrawingReferences {
    /// The most elements that a drawing may show.
    static let maximalCount = 1_000_000
    private static let maximalDepth = 1000

    private struct Node {
        var count = 0
        var parts: [Int] = []
        var targets: [String] = []
        var weight: Int?
        var isOpen = false
    }

    /// The root, and the elements with an identifier.
    private var nodes: [Node] = [Node()]
    private var numbers: [String: Int] = [:]
    /// The node of each open element, and before them the root.
    private var open = [0]

    /// Adds an element.
    mutating func begin(_ identifier: String?, _ targets: [String]) {
        let parent = open.last ?? 0
        var node = parent
        if let identifier {
            node = nodes.count
            nodes.append(Node())
            nodes[parent].parts.append(node)
            // The first of several is the one that is meant.
            if numbers[identifier] == nil { numbers[identifier] = node }
        }
        nodes[node].count += 1
        nodes[node].targets += targets
        open.append(node)
    }

    mutating func end() { open.removeLast() }

    /// - Throws: ``DrawingFault`` if the drawing shows too many elements.
    mutating func check() throws(DrawingFault) {
        guard try weight(of: 0, depth: 0) <= Self.maximalCount else {
            throw DrawingFault("it shows more than \(Self.maximalCount) elements")
        }
    }

    private mutating func weight(of number: Int, depth: Int) throws(DrawingFault) -> Int {
        if let weight = nodes[number].weight { return weight }
        // Viewers do not follow circles.
        guard !nodes[number].isOpen else { return 0 }
        guard depth < Self.maximalDepth else {
            throw DrawingFault("its references nest too deeply")
        }
        nodes[number].isOpen = true
        let node = nodes[number]
        var weight = node.count
        for next in node.parts + node.targets.compactMap({ numbers[$0] }) {
            weight += try self.weight(of: next, depth: depth + 1)
            weight = min(weight, Self.maximalCount + 1)
        }
        (nodes[number].isOpen, nodes[number].weight) = (false, weight)
        return weight
    }
}
