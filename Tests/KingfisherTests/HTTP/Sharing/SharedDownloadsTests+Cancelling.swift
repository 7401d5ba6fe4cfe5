import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
import KingfisherTesting
#endif

/// Callers that leave a shared download.
extension SharedDownloadsTests {
    @Test func `DL-27: one caller leaves, the others go on; the last one stops the transfer`()
        throws
    {
        let a = join("a")
        let b = join("b")
        a.leave()
        a.leave()
        #expect(journal.lines == ["a cancelled"])
        #expect(try transport.transfer(0).isCancelled == false)
        b.leave()
        #expect(journal.lines == ["a cancelled", "b cancelled"])
        #expect(try transport.transfer(0).isCancelled)
        #expect(downloads.running.isEmpty)
    }

    @Test func `DL-29: cancel, then the same request, starts a new download`() throws {
        join("a").leave()
        join("b")
        try transport.transfer(1).complete(hello)
        #expect(journal.lines == ["a cancelled", "b 5/5", "b done hello"])
    }

    @Test func `DL-28: cancel before the start sends nothing`() {
        let ticket = downloads.join(request, caller: journal.caller("a"))
        ticket.leave()
        #expect(journal.lines == ["a cancelled"])
        ticket.download.start()
        #expect(transport.transfers.isEmpty)
    }

    @Test func `the creator leaves before the start, and the joined caller is served`() throws {
        let ticket = downloads.join(request, caller: journal.caller("a"))
        join("b")
        ticket.leave()
        ticket.download.start()
        ticket.download.start()
        #expect(transport.transfers.count == 1)
        try transport.transfer(0).complete(hello)
        #expect(journal.lines == ["a cancelled", "b 5/5", "b done hello"])
    }

    @Test func `a caller that leaves during its progress gets the end only`() throws {
        let ticket = Mutex<DownloadToken<NoAttachment>?>(nil)
        journal.onProgress = { name in
            if name == "a" { ticket.withLock { $0 }?.leave() }
        }
        let a = join("a")
        ticket.withLock { $0 = a }
        join("b")
        try transport.transfer(0).respond(length: 10)
        try transport.transfer(0).send(hello)
        try transport.transfer(0).send(hello)
        #expect(journal.lines == ["a 5/10", "b 5/10", "a cancelled", "b 10/10"])
    }

    @Test func `DL-30: cancelAll and cancel(url:) complete every caller`() throws {
        let other = URLRequest(url: try #require(URL(string: "http://host/b.jpg")))
        join("a1")
        join("a2")
        join("b", other)
        downloads.cancel(url: try #require(request.url))
        #expect(journal.lines == ["a1 cancelled", "a2 cancelled"])
        downloads.cancelAll()
        #expect(journal.lines.last == "b cancelled")
        #expect(transport.transfers.allSatisfy { $0.isCancelled })
    }

    @Test func `W-36: releasing the table fails the waiting callers`() throws {
        do {
            let own = SharedDownloads(transport: transport)
            let ticket = own.join(request, caller: journal.caller("a"))
            ticket.download.start()
        }
        #expect(journal.lines == ["a cancelled"])
        #expect(try transport.transfer(0).isCancelled)
    }
}
