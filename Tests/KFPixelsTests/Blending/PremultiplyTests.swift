import Testing

@testable import KFPixels

struct PremultiplyTests {
    /// With its type, without which the compiler takes seconds for an expression.
    private let values: ClosedRange<Int> = 0...255
    private static let backends = Convolution.Backend.allCases.filter {
        $0 == .portable || Convolution.backend == .twin
    }

    @Test(arguments: backends)
    func `every value times every alpha rounds to nearest`(backend: Convolution.Backend) {
        for alpha in 0...255 {
            let row = premultiplied(
                values.flatMap { [UInt8($0), UInt8(255 - $0), UInt8($0), UInt8(alpha)] },
                backend
            )
            let exact = values.map { UInt8((Double($0 * alpha) / 255).rounded()) }
            #expect(values.allSatisfy { row[$0 * 4] == exact[$0] })
            #expect(values.allSatisfy { row[$0 * 4 + 1] == exact[255 - $0] })
            #expect(values.allSatisfy { row[$0 * 4 + 3] == UInt8(alpha) })
        }
    }

    @Test(arguments: backends)
    func `every value divided by every alpha rounds to nearest`(backend: Convolution.Backend) {
        for alpha in 0...255 {
            // An odd number of pixels, so that the last ones do not fill a vector.
            let row = straight((0...254).flatMap { [UInt8($0), 0, 255, UInt8(alpha)] }, backend)
            let exact = (0...255).map { alpha == 0 ? 0 : min(255, ($0 * 255 + alpha / 2) / alpha) }
            #expect((0...254).allSatisfy { row[$0 * 4] == UInt8(exact[$0]) })
            #expect((0...254).allSatisfy { row[$0 * 4 + 1] == 0 })
            #expect((0...254).allSatisfy { row[$0 * 4 + 2] == UInt8(exact[255]) })
            #expect((0...254).allSatisfy { row[$0 * 4 + 3] == UInt8(alpha) })
        }
    }

    @Test(arguments: backends)
    func `going back and forth loses nothing that premultiplying kept`(
        backend: Convolution.Backend
    ) throws {
        let bytes = try TestPictures.channels(TestPictures.noise(63, 65)).map { UInt8($0) }
        #expect(premultiplied(straight(bytes, backend), backend) == bytes)
    }

    @Test(arguments: backends)
    func `a colour above its alpha does not wrap`(backend: Convolution.Backend) {
        #expect(straight([200, 10, 255, 10], backend) == [255, 255, 255, 10])
    }

    private func premultiplied(_ bytes: [UInt8], _ backend: Convolution.Backend) -> [UInt8] {
        var row = bytes
        row.withUnsafeMutableBufferPointer { row in
            guard let base = row.baseAddress else { return }
            premultiplyRow(base, width: row.count / 4, backend: backend)
        }
        return row
    }

    private func straight(_ bytes: [UInt8], _ backend: Convolution.Backend) -> [UInt8] {
        var row = bytes
        bytes.withUnsafeBufferPointer { from in
            row.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                unpremultiplyRow(from: from, to: to, width: bytes.count / 4, backend: backend)
            }
        }
        return row
    }
}
