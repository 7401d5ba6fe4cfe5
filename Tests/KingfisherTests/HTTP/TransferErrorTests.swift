import Foundation
import Kingfisher
import Testing

struct TransferErrorTests {
    @Test func `a description names the fault and the URL, without the password`() throws {
        let url = try #require(URL(string: "http://me:secret@host/a.jpg"))
        let error = TransferError.bodyTooLarge(limit: 9, url: url)
        #expect(error.description == "the body is larger than 9 bytes: http://host/a.jpg")
        #expect(error.localizedDescription == error.description)
        #expect(error.url?.user == nil)
    }

    @Test func `only a cancel is a cancel`() throws {
        let url = try #require(URL(string: "http://host/a.jpg"))
        #expect(TransferError.cancelled.isCancellation)
        #expect(TransferError.cancelled.isTransient == false)
        #expect(TransferError.redirectLoop(url: url).isCancellation == false)
        let timeout = TransferError.timedOut(.idle, limit: .seconds(15), url: url)
        #expect(timeout.isTransient)
        #expect(
            timeout.description
                == "timed out after 15.0 seconds without data from the server: http://host/a.jpg"
        )
    }
}
