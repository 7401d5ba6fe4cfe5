import HTTPTypes

extension HTTPField.Name {
    static let cdnLoop = named("CDN-Loop")
    static let clientRequestID = named("X-Request-ID")
    static let contentDPR = named("Content-DPR")
    static let dpr = named("DPR")
    static let debugCache = named("X-Cache")
    static let debugResultHeight = named("X-Result-Height")
    static let debugResultWidth = named("X-Result-Width")
    static let debugSourceSize = named("X-Origin-Content-Length")
    static let forwardedFor = named("X-Forwarded-For")
    static let link = named("Link")
    static let secCHDPR = named("Sec-CH-DPR")
    static let secCHWidth = named("Sec-CH-Width")
    static let secFetchSite = named("Sec-Fetch-Site")
    static let serverTiming = named("Server-Timing")
    static let width = named("Width")

    /// A name that is known to be valid.
    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            preconditionFailure("\(text) is no name of a header field")
        }
        return name
    }
}
