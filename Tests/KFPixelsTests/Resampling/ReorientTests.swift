import Testing

@testable import KFPixels

struct ReorientTests {
    typealias Pictures = TestPictures

    /// The displayed position of a stored pixel, according to the Exif tag's table.
    private func place(_ x: Int, _ y: Int, in size: PixelSize, _ way: Orientation) -> (Int, Int) {
        let right = size.width - 1 - x
        let bottom = size.height - 1 - y
        return switch way {
        case .up: (x, y)
        case .upMirrored: (right, y)
        case .down: (right, bottom)
        case .downMirrored: (x, bottom)
        case .leftMirrored: (y, x)
        case .right: (bottom, x)
        case .rightMirrored: (bottom, right)
        case .left: (y, right)
        }
    }

    @Test(arguments: Orientation.allCases)
    func `every pixel goes where the tag says`(orientation: Orientation) throws {
        let picture = try Pictures.noise(37, 70)
        let result = try reorient(picture, orientation)
        #expect(result.size == orientation.displaySize(of: picture.size))
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let (column, row) = place(x, y, in: picture.size, orientation)
                #expect(result[column, row] == picture[x, y])
            }
        }
    }

    @Test(arguments: Orientation.allCases)
    func `an orientation and its inverse cancel out`(orientation: Orientation) throws {
        let inverse: Orientation =
            switch orientation {
            case .right: .left
            case .left: .right
            default: orientation
            }
        let picture = try Pictures.noise(5, 33)
        #expect(try reorient(reorient(picture, orientation), inverse) == picture)
    }

    @Test(arguments: [(1, 1), (1, 90), (90, 1)])
    func `thin bitmaps turn too`(size: (Int, Int)) throws {
        let picture = try Pictures.noise(size.0, size.1)
        for orientation in Orientation.allCases {
            let size = orientation.displaySize(of: picture.size)
            #expect(try reorient(picture, orientation).size == size)
        }
    }
}
