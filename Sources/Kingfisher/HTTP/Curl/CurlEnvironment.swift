import Foundation

/// Settings for all handles of a transport, from the configuration and the environment.
///
/// libcurl reads the proxy variables itself. The variables for certificates are a feature of the
/// curl program, not of the library, so they are read here.
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
