import Testing

@testable import Kingfisher

struct KingfisherWrapperTests {
    final class Target: KingfisherCompatible {}

    @Test func `the namespace wraps its base`() {
        let target = Target()
        #expect(target.kf.base === target)
    }
}
