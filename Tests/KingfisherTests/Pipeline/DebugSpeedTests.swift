import CIsolationShim
import Foundation
import Pixels
import TestSupport
import Testing

@testable import Kingfisher

/// Debug builds are usable: the twins in C do the work that Swift does forty times slower there.
struct DebugSpeedTests {
    /// 33 photos in 5 s on two cores are 0.3 s of CPU for each.
    @Test(
        .enabled(if: kf_is_sanitized() == 0 && Convolution.backend == .twin),
        .timeLimit(.minutes(1))
    )
    func `a thumbnail of a photo takes at most 0.3 s of CPU`() async {
        // In a process of its own, whose CPU time no other test adds to.
        await #expect(processExitsWith: .success) {
            let photo = TestImage.jpeg(width: 2000, height: 1500)
            let size = CGSize(width: 400, height: 400)
            let options = KingfisherParsedOptionsInfo(nil)
            let start = Self.seconds
            for _ in 0..<4 {
                let image = DownsamplingImageProcessor(size: size)
                    .process(item: .data(photo), options: options)
                #expect(image?.pixelWidth == 400)
                #expect(image?.kf.jpegRepresentation(compressionQuality: 0.8) != nil)
            }
            #expect((Self.seconds - start) / 4 < 0.3)
        }
    }

    private static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
