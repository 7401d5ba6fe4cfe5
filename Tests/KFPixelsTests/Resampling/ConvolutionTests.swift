import Testing

@testable import KFPixels

struct ConvolutionTests {
    typealias Pictures = TestPictures

    @Test(
        .enabled(if: Convolution.backend == .twin, "this processor has no twins"),
        arguments: ResampleFilter.allCases
    )
    func `the twin agrees within one`(filter: ResampleFilter) throws {
        let pictures = [try Pictures.noise(70, 53), try Pictures.photo(70, 53)]
        for picture in pictures {
            for size in [(35, 20), (141, 60), (7, 5), (1, 1), (69, 200)] {
                let target = Pictures.size(size.0, size.1)
                let swift = try resample(picture, to: target, filter: filter, backend: .portable)
                let twin = try resample(picture, to: target, filter: filter, backend: .twin)
                #expect(Pictures.largestDifference(swift, twin) <= 1)
            }
        }
    }

    @Test(arguments: [(4, 1), (2, 1), (4, 4)])
    func `weights add up to one for every target pixel`(tapAlignment: Int, startAlignment: Int) {
        for filter in ResampleFilter.allCases {
            for (source, target) in [(10, 3), (3, 10), (1000, 7), (7, 7), (1, 9), (65_535, 2)] {
                let table = ResampleWeights.cached(
                    ResampleWeights.Key(
                        source: source,
                        target: target,
                        boxFactor: 1,
                        filter: filter,
                        tapAlignment: tapAlignment,
                        startAlignment: startAlignment
                    )
                )
                for index in 0..<target {
                    let taps = table.weights[(index * table.taps)..<((index + 1) * table.taps)]
                    #expect(taps.reduce(0) { $0 + Int($1) } == ResampleWeights.one)
                    let end = Int(table.starts[index]) + table.taps
                    #expect(table.starts[index] >= 0 && end <= table.readableLength)
                    #expect(Int(table.starts[index]).isMultiple(of: startAlignment))
                }
            }
        }
    }
}
