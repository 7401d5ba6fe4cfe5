import Foundation
import Testing

@testable import KingfisherServer

struct GeometryTests {
    @Test("Sizes and places equal those computed by Tests/Geometry/geometry.py")
    func table() throws {
        let cases = try GeometryCase.table()
        #expect(cases.count > 1000)
        for item in cases {
            #expect(item.computed() == item.expected, "\(item.source) with \(item.text)")
        }
    }

    @Test(
        "Hostile sizes are refused or limited, and never trap",
        arguments: [Int.max, 1 << 62, 1 << 40, Int.min, -1, 0]
    )
    func hostile(size: Int) {
        for type in ["fit", "fill", "fill-down", "force", "auto"] {
            for enlarge in [false, true] {
                var options = ProcessingOptions()
                options.resizingType = .init(rawValue: type) ?? .fit
                (options.width, options.height) = (size, size / 3)
                (options.minimalWidth, options.minimalHeight) = (size, size)
                options.enlarge = enlarge
                options.extend.isOn = true
                options.extendAspectRatio.isOn = true
                options.padding = .init(top: size, right: size, bottom: size, left: size)
                options.dpr = Double(size)
                (options.zoomX, options.zoomY) = (.infinity, .nan)
                options.crop = .init(
                    width: .infinity,
                    height: .nan,
                    gravity: .focus(x: .nan, y: -.infinity)
                )
                options.gravity = .compass(.southEast, x: .infinity, y: .nan)
                let source = Extent(width: 300, height: 200)
                let plan = try? Geometry(source: source, options: options)
                #expect(plan.map { $0.size.longestSide <= 32_767 } ?? true)
                let bounds = ResultBounds(dimension: 100)
                let small = try? Geometry(source: source, options: options, limits: bounds)
                #expect(small.map { $0.size.longestSide <= 100 } ?? true)
            }
        }
    }

    @Test("Padding has the factor by which a source below the requested size was limited")
    func smallSource() throws {
        var options = ProcessingOptions()
        (options.width, options.dpr) = (300, 0.8)
        options.padding = .init(top: 10, right: 10, bottom: 10, left: 10)
        let source = Extent(width: 150, height: 75)
        let plan = try Geometry(source: source, options: options)
        #expect(plan.size == Extent(width: 160, height: 85))
        #expect(plan.dpr == 0.5)
        // The canvas of the requested size has the requested factor.
        options.extend.isOn = true
        #expect(try Geometry(source: source, options: options).size.width == 256)
    }

    @Test("A result above the limits is refused with status 422")
    func tooLarge() {
        var options = ProcessingOptions()
        (options.width, options.height, options.enlarge) = (40_000, 0, true)
        let source = Extent(width: 300, height: 200)
        #expect(throws: ServiceError.self) { try Geometry(source: source, options: options) }
        options.resizingType = .force
        options.width = 20_000
        options.height = 20_000
        let error = #expect(throws: ServiceError.self) {
            try Geometry(source: source, options: options)
        }
        #expect(error?.status == 422)
    }

    @Test("A factor below 1 applies to the requested size, before an image is too small for it")
    func smallFactor() throws {
        var options = ProcessingOptions()
        (options.width, options.dpr) = (300, 0.5)
        let plan = try Geometry(source: Extent(width: 200, height: 100), options: options)
        #expect(plan.size == Extent(width: 150, height: 75))
    }

    @Test("A smart crop has the size of any other")
    func smart() throws {
        var options = ProcessingOptions()
        (options.width, options.height, options.resizingType) = (100, 100, .fill)
        options.gravity = .smart
        let plan = try Geometry(source: Extent(width: 300, height: 200), options: options)
        #expect(plan.resultCrop == .smart(Extent(width: 100, height: 100)))
        #expect(plan.size == Extent(width: 100, height: 100))
    }
}

/// A line of `Tests/Geometry/geometry.tsv`.
private struct GeometryCase {
    let source: Extent
    let options: ProcessingOptions
    let bounds: ResultBounds
    let text: String
    let expected: String

    static func table() throws -> [GeometryCase] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Geometry/geometry.tsv")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { GeometryCase(String($0)) }
    }

    init(_ line: String) {
        let fields = line.split(separator: "\t").map(String.init)
        let sides = fields[0].split(separator: ",").compactMap { Int($0) }
        source = Extent(width: sides[0], height: sides[1])
        text = fields[1]
        expected = fields[2...].joined(separator: " ")
        var options = ProcessingOptions()
        var bounds = ResultBounds()
        for field in fields[1].split(separator: ";") where field != "-" {
            let parts = field.split(separator: "=")
            let values = parts[1].split(separator: ",").map(String.init)
            Self.set(String(parts[0]), values, &options, &bounds)
        }
        (self.options, self.bounds) = (options, bounds)
    }

    private static func set(
        _ name: String,
        _ values: [String],
        _ options: inout ProcessingOptions,
        _ bounds: inout ResultBounds
    ) {
        func number(_ index: Int) -> Double { Double(values[index]) ?? .nan }
        func whole(_ index: Int) -> Int { Int(values[index]) ?? -1 }
        switch name {
        case "type": options.resizingType = .init(rawValue: values[0]) ?? .fit
        case "width": options.width = whole(0)
        case "height": options.height = whole(0)
        case "enlarge": options.enlarge = true
        case "dpr": options.dpr = number(0)
        case "zoom": (options.zoomX, options.zoomY) = (number(0), number(1))
        case "min": (options.minimalWidth, options.minimalHeight) = (whole(0), whole(1))
        case "gravity": options.gravity = gravity(values[...])
        case "crop":
            options.crop = .init(width: number(0), height: number(1))
            if values.count > 2 { options.crop?.gravity = gravity(values[2...]) }
        case "extend":
            options.extend.isOn = true
            options.extend.gravity = gravity(values[...])
        case "exar":
            options.extendAspectRatio.isOn = true
            options.extendAspectRatio.gravity = gravity(values[...])
        case "padding":
            options.padding = .init(
                top: whole(0),
                right: whole(1),
                bottom: whole(2),
                left: whole(3)
            )
        case "most": bounds.dimension = whole(0)
        default: Issue.record("\(name) is not known")
        }
    }

    private static func gravity(_ values: ArraySlice<String>) -> ProcessingOptions.Gravity {
        let numbers = values.dropFirst().map { Double($0) ?? .nan }
        let name = values[values.startIndex]
        if name == "fp" { return .focus(x: numbers[0], y: numbers[1]) }
        return .compass(.init(rawValue: name) ?? .centre, x: numbers[0], y: numbers[1])
    }

    /// The result in the form of the table.
    func computed() -> String {
        do throws(ServiceError) {
            let plan = try Geometry(source: source, options: options, limits: bounds)
            let canvases = plan.canvases.map { "\(text($0.size)),\($0.x),\($0.y)" }
            return [
                text(plan.crop), text(plan.scaled), text(plan.resultCrop),
                canvases.isEmpty ? "-" : canvases.joined(separator: "|"), text(plan.size),
                String(format: "%.9f", plan.dpr),
            ].joined(separator: " ")
        } catch {
            return "- - - - \(error.status) -"
        }
    }

    private func text(_ size: Extent) -> String { "\(size.width),\(size.height)" }

    private func text(_ part: Geometry.Part) -> String {
        switch part {
        case .whole: "-"
        case .frame(let frame): "\(frame.x),\(frame.y),\(text(frame.size))"
        case .smart(let size): "smart \(text(size))"
        }
    }
}
