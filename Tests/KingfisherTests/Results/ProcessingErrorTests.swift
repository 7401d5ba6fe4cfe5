import Foundation
import Testing

@testable import Kingfisher

/// Failures of processors that the original does not have, in the only case that it has.
struct ProcessingErrorTests {
    private static let causes: [(error: ProcessingError, code: Int)] = [
        (.resultTooLarge(size: CGSize(width: 9, height: 8), limits: .default), 4002),
        (.isolationFailed(.crashed(signal: 11)), 4003),
    ]

    private func reason(_ error: ProcessingError) -> KingfisherError.ProcessorErrorReason {
        let processor = BlurImageProcessor(blurRadius: 2)
        return switch error {
        case .resultTooLarge(let size, let limits):
            .resultTooLarge(processor: processor, size: size, limits: limits)
        case .isolationFailed(let failure):
            .isolationFailed(processor: processor, failure: failure)
        }
    }

    @Test(arguments: causes.indices)
    func `ERR-1: a processor that the library stopped failed, and has its own code`(
        index: Int
    ) throws {
        let (cause, code) = Self.causes[index]
        let error = KingfisherError.processorError(reason: reason(cause))
        guard case .processorError(.processingFailed(let processor, .image(let image))) = error
        else {
            Issue.record("\(error)")
            return
        }
        #expect(processor.identifier == BlurImageProcessor(blurRadius: 2).identifier)
        #expect(image.size == .zero)
        #expect(error.processingError == cause)
        #expect(error.errorCode == code)
    }

    @Test func `a processor that returned no image has no further cause`() {
        for item in [ImageProcessItem.data(Data()), .image(KFCrossPlatformImage())] {
            let error = KingfisherError.processorError(
                reason: .processingFailed(processor: DefaultImageProcessor.default, item: item)
            )
            #expect(error.processingError == nil)
            #expect(error.errorCode == 4001)
        }
        #expect(KingfisherError.requestError(reason: .emptyRequest).processingError == nil)
    }
}
