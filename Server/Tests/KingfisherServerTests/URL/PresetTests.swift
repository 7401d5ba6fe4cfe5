import Testing

@testable import KingfisherServer

struct PresetTests {
    private func settings(_ definitions: String...) throws -> GrammarSettings {
        var settings = GrammarSettings()
        try settings.definePresets(definitions)
        return settings
    }

    private func options(
        _ options: String,
        _ settings: GrammarSettings
    ) throws -> ProcessingOptions {
        try ImageRequest.parse("/_/\(options)/plain/http://a/b", with: settings).options
    }

    @Test func `allowed options have to exist`() throws {
        var settings = GrammarSettings()
        settings.allowedOptions = ["w", "height", "preset", "ush"]
        try settings.definePresets([])
        settings.allowedOptions.insert("widht")
        let error = #expect(throws: InvalidSetting.self) { try settings.definePresets([]) }
        #expect(error?.description == "ALLOWED_PROCESSING_OPTIONS: there is no option 'widht'")
    }

    @Test func `a preset stands for its options`() throws {
        let settings = try settings("thumb=rs:fill:100:50/q:70", " # comment", "", " sharp = sh:2 ")
        let result = try options("pr:thumb:sharp/q:60", settings)
        #expect(result.width == 100)
        #expect(result.quality == 60)
        #expect(result.sharpen == 2)
        #expect(try options("q:60/preset:thumb", settings).quality == 70)
    }

    @Test func `the default preset comes first`() throws {
        let settings = try settings("default=q:50/w:10", "big=w:1000")
        #expect(try options("h:1", settings).quality == 50)
        #expect(try options("w:20", settings).width == 20)
        #expect(try options("w:20/pr:default", settings).width == 20)
        #expect(try options("pr:big", settings).width == 1000)
    }

    @Test func `presets may contain presets, each applied once`() throws {
        let settings = try settings("a=w:1/pr:b", "b=h:2/pr:c", "c=q:3")
        let result = try options("pr:a/q:9/pr:c", settings)
        #expect((result.width, result.height) == (1, 2))
        #expect(result.quality == 9)
    }

    @Test(arguments: [
        ["a=pr:a"], ["a=pr:b", "b=pr:c", "c=pr:a"], ["default=pr:default"], ["a=pr:missing"],
        ["a"], ["=w:1"], ["a=w:1", "a=w:2"], ["a=w:x"], ["a=nothing:1"], ["a=w"], ["a=w:%zz"],
        ["a=" + String(repeating: "w:1/", count: 101)], ["a=wmu:ZmlsZTovLy9ldGM"],
    ])
    func `malformed presets are refused`(_ definitions: [String]) {
        var settings = GrammarSettings()
        let error = #expect(throws: InvalidSetting.self) {
            try settings.definePresets(definitions)
        }
        #expect(error?.name == "PRESETS")
    }

    @Test func `images and information may share presets`() throws {
        let settings = try settings("default=th:1", "card=w:9/bh:1")
        let image = try options("pr:card", settings)
        #expect(image.width == 9)
        #expect(!image.wantsThumbHash && !image.wantsBlurHash)
        let information = try options("info/pr:card", settings)
        #expect(information.wantsThumbHash && information.wantsBlurHash)
    }

    @Test func `many nested presets are checked quickly`() throws {
        let definitions = (0..<60).map { index in
            "p\(index)=w:\(index)" + (index < 59 ? "/pr:p\(index + 1):p\(index + 1)" : "")
        }
        var settings = GrammarSettings()
        #expect(throws: InvalidSetting.self) { try settings.definePresets(definitions) }
        try settings.definePresets(definitions.suffix(30))
    }

    @Test func `presets may use what URLs may not`() throws {
        var settings = GrammarSettings()
        settings.allowedOptions = ["pr"]
        try settings.definePresets(["a=w:5"])
        #expect(try options("pr:a", settings).width == 5)
        #expect(throws: ServiceError.self) { try options("w:5", settings) }
    }

    @Test func `a preset sets limits only where URLs may`() throws {
        var settings = GrammarSettings()
        #expect(throws: InvalidSetting.self) { try settings.definePresets(["a=msr:10"]) }
        settings.allowsSecurityOptions = true
        try settings.definePresets(["a=msr:10"])
        #expect(try options("pr:a", settings).limits.megapixels == 10)
    }

    @Test func `only presets: the first segment consists of names`() throws {
        var settings = GrammarSettings()
        settings.allowsOnlyPresets = true
        try settings.definePresets(["default=q:5", "a=w:1", "b=h:2"])
        let both = try options("a:b", settings)
        #expect((both.width, both.height) == (1, 2))
        #expect(both.quality == 5)
        #expect(try options("a", settings).width == 1)
        #expect(try options("a%3Ab", settings).height == 2)
        #expect(
            try ImageRequest.parse("/_/plain/http://a/b@png", with: settings).options.format == .png
        )
        #expect(throws: ServiceError.self) { try options("w:100", settings) }
        #expect(throws: ServiceError.self) { try options("a/w:100", settings) }
        #expect(throws: ServiceError.self) { try options("missing", settings) }
        let encoded = try ImageRequest.parse("/_/info/a/aHR0cDovL2EvYg", with: settings)
        #expect(encoded.kind == .info)
        #expect(encoded.options.width == 1)
    }

    @Test(arguments: ["", "-", "_", "a", "/", "%", "é", "0", " ", "?"])
    func `a separator that occurs in paths is refused`(_ separator: String) {
        var settings = GrammarSettings()
        settings.argumentsSeparator = separator
        let error = #expect(throws: InvalidSetting.self) { try settings.definePresets([]) }
        #expect(error?.name == "ARGUMENTS_SEPARATOR")
    }
}
