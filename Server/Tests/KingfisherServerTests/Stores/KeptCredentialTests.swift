import Foundation
import Synchronization
import Testing

@testable import KingfisherServer

/// How long keys and tokens are kept.
@Suite(.timeLimit(.minutes(1)))
struct KeptCredentialTests {
    private struct Refused: Error {}

    @Test("Requests at the same time share a question, and a value is kept")
    func shared() async throws {
        let count = Mutex(0)
        let credential = KeptCredential<Int> {
            for _ in 0..<100 { await Task.yield() }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .init(value: number, expires: Date(timeIntervalSinceNow: 3600))
        }
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await credential.value() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 20))
        #expect(try await credential.value() == 1)
        // A value that has just been given would not get better.
        #expect(await !credential.forget())
    }

    /// A store that accepts the second token only.
    private struct Signer: ObjectSigner {
        let buckets = BucketRules(allowed: [], denied: [])
        let token: KeptCredential<Int>

        func request(bucket: String, key: String) async throws -> SignedRequest {
            let url = try #require(URL(string: "http://store.example/\(try await token.value())"))
            return SignedRequest(url: url)
        }

        func forgetCredentials() async -> Bool { await token.forget() }
    }

    @Test(
        "A refused token is asked for again once, unless it is new",
        arguments: [0, 10.0],
        [400, 401]
    )
    func refused(minimumAge: Double, status: Int) async throws {
        let count = Mutex(0)
        let token = KeptCredential<Int>(minimumAge: minimumAge) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .init(value: number, expires: .distantFuture)
        }
        let stores = ObjectStores([.google: Signer(token: token)])
        for allowed in ["/2", "/none"] {
            let path = try? await stores.load(.google, "b", "k") { request in
                guard request.url.path == allowed else {
                    var error = ServiceError(404, "a", "b")
                    error.sourceStatus = status
                    throw error
                }
                return request.url.path
            }
            #expect(path == (minimumAge == 0 && allowed == "/2" ? "/2" : nil))
        }
        #expect(count.withLock { $0 } == (minimumAge == 0 ? 3 : 1))
    }

    @Test("A value that ends soon is asked for again, and used as long as it is valid")
    func expiring() async throws {
        let count = Mutex(0)
        let credential = KeptCredential<Int> {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number < 3 else { throw Refused() }
            // Past, so that it is never kept; then valid, but so short that half of it is over.
            return .init(value: number, expires: Date(timeIntervalSinceNow: number == 1 ? -1 : 0.2))
        }
        #expect(try await credential.value() == 1)
        #expect(try await credential.value() == 2)
        // Until its end the second value is used, whatever the question gives; then it is not.
        while true {
            do {
                #expect(try await credential.value() == 2)
            } catch {
                break
            }
        }
        #expect(count.withLock { $0 } == 3)
    }
}
