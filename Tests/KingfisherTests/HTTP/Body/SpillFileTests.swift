import Foundation
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct SpillFileTests {
    @Test(arguments: [(0, 4, "body"), (1, 2, "od"), (1, 9, "ody"), (4, 1, ""), (9, 9, "")])
    func `a read ends with the file`(offset: Int, count: Int, expected: String) throws {
        let file = try SpillFile()
        try file.write(Data("body".utf8).bytes, at: 0)
        #expect(try file.read(from: offset, count: count) == Data(expected.utf8))
    }
}
