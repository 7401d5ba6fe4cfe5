import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

/// Sizes, parts and turns of rendered images.
struct RenderingSizeTests {
    private let bench: RenderBench

    init() throws { bench = try RenderBench() }

    @Test(
        "Each resizing type gives its size and the right part",
        arguments: [
            ("fit", [100, 50], "rgbw"), ("fill", [100, 100], "rgbw"),
            ("fill-down", [100, 100], "rgbw"), ("force", [100, 100], "rgbw"),
            ("auto", [100, 50], "rgbw"),
        ]
    )
    func types(type: String, size: [Int], quarters: String) async throws {
        let source = try TestPicture.quartersPNG(400, 200)
        let result = try await bench.render(source) {
            $0.resizingType = .init(rawValue: type) ?? .fit
            ($0.width, $0.height) = (100, type == "auto" ? 101 : 100)
            // A portrait target, so that `auto` fits.
        }
        #expect(result.size == size)
        #expect(result.quarters == quarters)
    }

    @Test(
        "A drawing gets the size that is asked for, also above its own, and is sharp in it",
        .enabled(if: TestPicture.readsDrawings),
        arguments: [
            ("w:200", [200, 200]), ("w:200/h:100/rt:fill", [200, 100]),
            ("w:200/h:100/rt:fill-down", [200, 100]), ("w:200/h:100/rt:force", [200, 100]),
            ("w:48/dpr:2", [96, 96]), ("z:3", [72, 72]), ("mw:100", [100, 100]),
            ("c:12:24:we/w:100", [100, 200]), ("w:12", [12, 12]), ("rot:90/w:240", [240, 240]),
            ("w:100/h:200/ex:1", [100, 200]),
        ]
    )
    func drawings(options: String, size: [Int]) async throws {
        let source = TestPicture.drawing
        let options = try ImageRequest.options(options, with: GrammarSettings())
        let result = try await bench.render(source) { $0 = options }
        #expect(result.size == size)
        // The left half is red and the right one blue: enlarged pixels would have other colours.
        let row = (0..<size[0]).map { result.pixel($0, size[1] / 2) }
        let colours = Set(row).subtracting([[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0]])
        #expect(colours.count <= 1, "\(colours)")
        let column = (0..<size[1]).map { result.pixel(size[0] / 2 - 1, $0) }
        let others = Set(column).subtracting([[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0]])
        #expect(others.count <= 1, "\(others)")
    }

    @Test("A drawing is not enlarged above the limits of results")
    func largeDrawings() async throws {
        try #require(TestPicture.readsDrawings)
        let part = try await bench.render(TestPicture.drawing) {
            ($0.crop, $0.width) = (.init(width: 1, height: 1), 2000)
        }
        #expect(part.size == [2000, 2000])
        let failure = try await bench.failure(TestPicture.drawing) { $0.width = 40_000 }
        #expect(failure.status == 422)
    }

    @Test(
        "No side of a narrow image is below one pixel",
        arguments: [(1, 300), (2, 1000), (1000, 2), (1, 10_000), (10_000, 1), (1, 1)]
    )
    func narrow(width: Int, height: Int) async throws {
        let bytes = Data(repeating: 255, count: width * height * 4)
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: bytes, width: width, height: height)
        )
        let source = try #require(image.kf.pngRepresentation())
        for type in ["fit", "fill", "fill-down", "force", "auto"] {
            for side in [1, 7, 100] {
                for enlarges in [false, true] {
                    let result = try await bench.render(source) {
                        $0.resizingType = .init(rawValue: type) ?? .fit
                        ($0.width, $0.height, $0.enlarge) = (side, side, enlarges)
                    }
                    let label = Comment(rawValue: "\(type) \(side) \(enlarges)")
                    #expect(result.size.allSatisfy { (1...side).contains($0) }, label)
                    // White reaches all corners.
                    #expect(result.colour(0, 0) == "w" && result.colour(1, 1) == "w", label)
                }
            }
        }
    }

    @Test(
        "Gravity chooses the part that fills the size",
        arguments: [
            ("we", "rrbb"), ("ea", "ggww"), ("ce", "rgbw"), ("nowe", "rrbb"), ("soea", "ggww"),
        ]
    )
    func gravity(name: String, quarters: String) async throws {
        let source = try TestPicture.quartersPNG(400, 200)
        let result = try await bench.render(source) {
            ($0.width, $0.height, $0.resizingType) = (50, 50, .fill)
            $0.gravity = .compass(.init(rawValue: name) ?? .centre, x: 0, y: 0)
        }
        #expect(result.size == [50, 50])
        #expect(result.quarters == quarters)
    }

    @Test("A crop is the part of the source that its gravity names, also when scaled")
    func crop() async throws {
        let source = try TestPicture.quartersPNG(400, 200)
        for width in [0, 150, 60, 7] {
            let result = try await bench.render(source) {
                $0.crop = .init(width: 200, height: 0.5, gravity: .compass(.southEast, x: 0, y: 0))
                $0.width = width
            }
            let side = width == 0 ? 200 : width
            #expect(result.size == [side, (side + 1) / 2])
            #expect(result.quarters == "wwww", "width \(width)")
        }
        let enlarged = try await bench.render(source) {
            $0.crop = .init(width: 3, height: 100, gravity: .compass(.southWest, x: 0, y: 0))
            ($0.width, $0.height, $0.resizingType, $0.enlarge) = (30, 20, .force, true)
        }
        #expect(enlarged.size == [30, 20])
        #expect(enlarged.quarters == "bbbb")
        let middle = try await bench.render(source) {
            $0.crop = .init(width: 100, height: 100, gravity: .focus(x: 0.5, y: 0.5))
            $0.width = 20
        }
        #expect(middle.size == [20, 20])
        #expect(middle.quarters == "rgbw")
    }

    @Test("A smart crop contains the detail")
    func smart() async throws {
        let file = try #require(
            TestPicture.image(400, 100) { x, y in
                let isDetail = x > 300 && (x / 4 + y / 4) % 2 == 0
                return isDetail ? [255, 0, 0, 255] : [128, 128, 128, 255]
            }.pngData()
        )
        let filled = try await bench.render(file) {
            ($0.width, $0.height, $0.resizingType) = (100, 100, .fill)
            $0.gravity = .smart
        }
        #expect(filled.size == [100, 100])
        let reds = (0..<100).filter { filled.pixel($0, 50)[0] > 200 }
        #expect(reds.count > 20)
        let cropped = try await bench.render(file) {
            $0.crop = .init(width: 50, height: 40, gravity: .smart)
        }
        #expect(cropped.size == [50, 40])
    }

    @Test("Files of every EXIF orientation are upright", arguments: 1...8)
    func upright(orientation: Int) async throws {
        let source = try TestPicture.oriented(orientation, 160, 80)
        let result = try await bench.render(source) { $0.width = 80 }
        #expect(result.size == [80, 40])
        #expect(result.quarters == "rgbw")
        let filled = try await bench.render(source) {
            ($0.width, $0.height, $0.resizingType) = (40, 40, .fill)
            $0.gravity = .compass(.west, x: 0, y: 0)
        }
        #expect(filled.quarters == "rrbb")
    }

    @Test(
        "Without auto_rotate the image is as stored",
        arguments: [
            (1, "rgbw"), (2, "grwb"), (3, "wbgr"), (4, "bwrg"), (5, "rbgw"), (6, "gwrb"),
            (7, "wgbr"), (8, "brwg"),
        ]
    )
    func stored(orientation: Int, quarters: String) async throws {
        let source = try TestPicture.oriented(orientation, 160, 80)
        let result = try await bench.render(source) {
            $0.autoRotate = false
            $0.zoomX = 0.5
            $0.zoomY = 0.5
        }
        #expect(result.size == (orientation > 4 ? [40, 80] : [80, 40]))
        #expect(result.quarters == quarters)
    }

    @Test("Rotation and flips come before sizes, in this order")
    func turns() async throws {
        let source = try TestPicture.quartersPNG(400, 200)
        let right = try await bench.render(source) {
            $0.rotation = 90
            $0.width = 50
        }
        #expect(right.size == [50, 100])
        #expect(right.quarters == "brwg")
        let both = try await bench.render(source) {
            $0.rotation = 90
            $0.flipsHorizontally = true
        }
        #expect(both.size == [200, 400])
        #expect(both.quarters == "rbgw")
        let upside = try await bench.render(source) { $0.flipsVertically = true }
        #expect(upside.quarters == "bwrg")
    }

    @Test("dpr enlarges the result up to the source, and reports its factor")
    func dpr() async throws {
        let source = try TestPicture.quartersPNG(400, 200)
        let double = try await bench.render(source) {
            ($0.width, $0.dpr) = (100, 2)
            $0.padding = .init(top: 5, right: 0, bottom: 0, left: 5)
            $0.background = .init(red: 0, green: 0, blue: 0)
        }
        #expect(double.size == [210, 110])
        #expect(double.result.dpr == 2)
        #expect(double.colour(0.02, 0.02) == "k")
        let most = try await bench.render(source) { ($0.width, $0.dpr) = (100, 8) }
        #expect(most.size == [400, 200])
        #expect(most.result.dpr == 4)
        let enlarged = try await bench.render(source) {
            ($0.width, $0.dpr, $0.enlarge) = (100, 8, true)
        }
        #expect(enlarged.size == [800, 400])
        #expect(enlarged.quarters == "rgbw")
    }

    @Test("Padding and extending are transparent, or have the background's colour")
    func canvas() async throws {
        let source = try TestPicture.quartersPNG(40, 20)
        let clear = try await bench.render(source) {
            ($0.width, $0.height) = (60, 60)
            $0.extend.isOn = true
            $0.extend.gravity = .compass(.southEast, x: 0, y: 0)
        }
        #expect(clear.size == [60, 60])
        #expect(clear.colour(0.1, 0.1) == "-")
        #expect(clear.colour(0.4, 0.7) == "r")
        #expect(clear.colour(0.9, 0.9) == "w")
        let yellow = try await bench.render(source) {
            ($0.width, $0.height) = (60, 60)
            $0.extendAspectRatio.isOn = true
            $0.background = .init(red: 255, green: 255, blue: 0)
            $0.padding = .init(top: 1, right: 2, bottom: 3, left: 4)
        }
        #expect(yellow.size == [46, 44])
        #expect(yellow.colour(0.5, 0) == "y")
        #expect(yellow.colour(0, 0.5) == "y")
        #expect(yellow.colour(0.3, 0.4) == "r")
        let jpeg = try await bench.render(source, as: .jpeg) {
            ($0.width, $0.height) = (60, 60)
            $0.extend.isOn = true
        }
        #expect(jpeg.colour(0.1, 0.1) == "w")
    }

    @Test("The result has at least one pixel a side")
    func thin() async throws {
        let source = try TestPicture.quartersPNG(400, 2)
        let result = try await bench.render(source) { $0.width = 10 }
        #expect(result.size == [10, 1])
    }
}
