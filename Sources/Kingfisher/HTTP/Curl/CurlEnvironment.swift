import Foundation

/// What the configuration and the process environment say about all handles of a transport.
///
/// libcurl itself reads the proxies; the variables for certificates are a habit of the curl
/// program that the library does not have.
struct CurlEnvironment {
    let certificateFile: String?
    let certificateFolder: String?
    let userAgent: String
    let approvals = CurlApprovals()

    init(
        _ configuration: CurlTransport.Configuration,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) {
        func variable(_ name: String) -> String? {
            variables[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        certificateFile =
            configuration.certificateFile ?? variable("CURL_CA_BUNDLE")
            ?? variable("SSL_CERT_FILE")
        certificateFolder = variable("SSL_CERT_DIR")
        userAgent = configuration.userAgent
    }
}
