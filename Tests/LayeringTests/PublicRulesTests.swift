import Testing

struct PublicRulesTests {
    @Test func `two closures of one type are known, and a test states where a trailing one goes`()
        throws
    {
        let tree = try SourceTree(reading: ["Sources"])
        // PRE-20 in PrefetchCallTests.
        let file = "Sources/Kingfisher/Prefetching/ImagePrefetcher+Resources.swift"
        #expect(
            PublicRules.closurePairs(in: tree)
                == ["urls", "resources", "sources"].map { "\(file): init(\($0):)" }
        )
    }

    @Test func `every option has a method of the builders`() throws {
        let tree = try SourceTree(reading: ["Sources"])
        #expect(PublicRules.optionsWithoutBuilder(in: tree) == [])
        let path = "Sources/Kingfisher/Options/KingfisherOptionsInfo.swift"
        let bad = SourceTree([path: "enum Options {\n    case one\n    case two(Int)\n}"])
        #expect(PublicRules.optionsWithoutBuilder(in: bad) == ["one", "two"])
    }

    @Test func `every option is named in an article`() throws {
        let options = "Sources/Kingfisher/Options"
        let articles = "Sources/Kingfisher/Kingfisher.docc"
        let tree = try SourceTree(reading: [options, articles], suffixes: [".swift", ".md"])
        #expect(tree.below(articles).count > 10)
        #expect(PublicRules.optionsWithoutArticle(in: tree) == [])
        let bad = SourceTree([
            "\(options)/KingfisherOptionsInfo.swift":
                "enum Options {\n    case one\n    case two(Int)\n    case three\n}",
            "\(articles)/A.md":
                "With `.one` there is one; see ``Options/three``. Twos, `.twofold`.",
        ])
        #expect(PublicRules.optionsWithoutArticle(in: bad) == ["two"])
    }

    @Test func `documentation of the public API has no internal notes, and first examples`() throws
    {
        let tree = try SourceTree(reading: ["Sources"])
        #expect(PublicRules.internalNotes(in: tree) == [])
        #expect(PublicRules.typesWithoutExample(in: tree) == [])
    }

    @Test func `an internal note and a class without an example are found`() {
        let path = "Sources/Kingfisher/Bad.swift"
        let tree = SourceTree([
            path:
                "/// A thing.\n///\n/// `@unchecked`: guarded.\nopen class A: @unchecked Sendable {}"
        ])
        #expect(PublicRules.internalNotes(in: tree) == ["\(path):4"])
        #expect(PublicRules.typesWithoutExample(in: tree) == ["\(path):4"])
        let good = SourceTree([
            path: "// `@unchecked`: guarded.\n/// A thing.\n///\n/// ```swift\n/// A()\n/// ```\n"
                + "open class A: @unchecked Sendable {}"
        ])
        #expect(PublicRules.internalNotes(in: good) == [])
        #expect(PublicRules.typesWithoutExample(in: good) == [])
    }

    @Test(arguments: [
        "public func f(\n    a: (@Sendable (Int) -> Void)? = nil,\n    b: @escaping (Int) -> Void\n)",
        "public typealias A = @Sendable (_ x: Int) -> Void\npublic init(a: A?, b: A? = nil)",
    ])
    func `two closures of one type are found`(text: String) {
        let tree = SourceTree(["Sources/Kingfisher/Bad.swift": text])
        #expect(PublicRules.closurePairs(in: tree).count == 1)
    }

    @Test(arguments: [
        "public func f(a: (Int) -> Void, b: (String) -> Void)", "public func f(a: Int, b: Int)",
        "func f(a: () -> Void, b: () -> Void)",
    ])
    func `other parameters are left alone`(text: String) {
        let tree = SourceTree(["Sources/Kingfisher/Good.swift": text])
        #expect(PublicRules.closurePairs(in: tree).isEmpty)
    }
}
