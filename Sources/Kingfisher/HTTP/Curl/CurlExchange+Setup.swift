import CKFCurl
import CKFCurlShim
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension CurlExchange {
    /// Sets all options of a new handle for the current hop.
    ///
    /// - Throws: ``TransferError/invalidRequest(reason:url:)``.
    func configure(
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment,
        _ sockets: CurlSockets
    ) throws(TransferError) {
        let text = url.absoluteString
        try checkSyntax(of: text)
        func set(_ option: CURLoption, _ value: Int) {
            kf_curl_setopt_long(handle, option, value)
        }
        kf_curl_set_callbacks(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            curlHeadCallback,
            curlBodyCallback,
            curlSocketCallback,
            curlBeforeRequestCallback
        )
        sockets.observe(handle)
        self.sockets = sockets
        try setSocket(handle)
        setHTTP3(handle, environment)
        if hop.needsFreshConnection || host?.isSuspect == true { set(CURLOPT_FRESH_CONNECT, 1) }
        if hop.needsHTTP1 { set(CURLOPT_HTTP_VERSION, kf_curl_http_1_1) }
        kf_curl_restrict_protocols(handle)
        kf_curl_set_quick_exit(handle)
        diagnosis.observe(handle)
        guard setText(handle, CURLOPT_URL, text) == CURLE_OK else {
            throw .invalidRequest(reason: "libcurl does not accept its URL", url: url)
        }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Waits for a handshake that may result in HTTP/2 rather than starting another one. Without
        // TLS there is no such handshake, and requests would wait for each other.
        hop.waitsForHandshake = chain.origin.hasPrefix("https:")
        set(CURLOPT_PIPEWAIT, hop.waitsForHandshake ? 1 : 0)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // Several of libcurl's 16 KiB pieces per system call, but below the 128 KiB from which
        // glibc maps fresh memory for each allocation.
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        set(CURLOPT_STREAM_WEIGHT, 1 + Int(max(0, min(1, priority)) * 255))
        var connectTimeout = settings.connectTimeout
        if hop.hasAlternative { connectTimeout = min(connectTimeout, CurlAlternatives.patience) }
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, connectTimeout.milliseconds))
        try setTrust(handle, environment)
        setMethod(handle)
        try setHeaders(handle, environment)
        if let (credential, scheme) = chain.credential {
            setText(handle, CURLOPT_USERNAME, credential.user)
            setText(handle, CURLOPT_PASSWORD, credential.password)
            set(
                CURLOPT_HTTPAUTH,
                scheme == .digest ? kf_curl_auth_digest : kf_curl_auth_basic
            )
        }
        if !settings.addressPolicy.isUnrestricted {
            setText(handle, CURLOPT_PROXY, "")
        }
    }

    private func setSocket(_ handle: UnsafeMutableRawPointer) throws(TransferError) {
        guard let path = settings.unixSocketPath else { return }
        guard settings.addressPolicy.isUnrestricted else {
            throw .addressRefused(address: path, range: .loopback, url: url)
        }
        // 107 bytes and a zero fit into the address (unix(7)).
        guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0),
            setText(handle, CURLOPT_UNIX_SOCKET_PATH, path) == CURLE_OK
        else {
            throw .invalidRequest(reason: "its socket path is not valid", url: url)
        }
        // The socket is the destination, not a proxy.
        setText(handle, CURLOPT_PROXY, "")
    }

    private func setHTTP3(_ handle: UnsafeMutableRawPointer, _ environment: CurlEnvironment) {
        let alternatives = environment.alternatives
        guard settings.allowsHTTP3, environment.followsAlternatives, !avoidsAlternatives,
            settings.unixSocketPath == nil, alternatives.mayUse(chain.origin, at: round.now)
        else { return }
        kf_curl_setopt_long(handle, CURLOPT_ALTSVC_CTRL, kf_curl_altsvc_all)
        setText(handle, CURLOPT_ALTSVC, alternatives.file)
        hop.hasAlternative = alternatives.contains(url)
    }

    /// Refuses input that would change the request on the wire; a line break would start another
    /// header.
    private func checkSyntax(of text: String) throws(TransferError) {
        let refused: String? =
            if !HTTPSyntax.isToken(chain.request.httpMethod ?? "GET") {
                "its method is not valid"
            } else if !HTTPSyntax.isVisible(text) {
                "its URL has a space or a control character"
            } else if let field = (chain.request.allHTTPHeaderFields ?? [:]).first(where: {
                !HTTPSyntax.isToken($0.key) || !HTTPSyntax.isFieldValue($0.value)
            }) {
                "its header “\(field.key)” is not valid"
            } else if let user = chain.credential?.0.user, !HTTPSyntax.isFieldValue(user) {
                "its user name has a control character"
            } else {
                nil
            }
        if let refused { throw .invalidRequest(reason: refused, url: url) }
    }

    private func setMethod(_ handle: UnsafeMutableRawPointer) {
        let request = chain.request
        let method = request.httpMethod ?? "GET"
        if let body = request.httpBody {
            // The size is set first; otherwise libcurl treats the bytes as a C string.
            kf_curl_setopt_off(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes {
                _ = kf_curl_setopt_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            }
            metrics.bytesSent = body.count
        }
        switch method {
        case "HEAD": kf_curl_setopt_long(handle, CURLOPT_NOBODY, 1)
        case "GET" where request.httpBody == nil: kf_curl_setopt_long(handle, CURLOPT_HTTPGET, 1)
        default: setText(handle, CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private func setHeaders(
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment
    ) throws(TransferError) {
        var encoding: String?
        var userAgent = environment.userAgent
        var isRange = false
        if chain.request.httpBody != nil {
            // Avoids the second that libcurl waits before it sends a large body.
            try addHeader("Expect:")
        }
        for (name, value) in chain.request.allHTTPHeaderFields ?? [:] {
            switch name.lowercased() {
            case "accept-encoding": encoding = value
            // libcurl sets the length of the body itself.
            case "content-length": break
            case "user-agent": userAgent = value
            case "range":
                isRange = true
                try addHeader("\(name): \(value)")
            default:
                // libcurl writes a field without a value if the line ends with a semicolon.
                try addHeader(value.isEmpty ? "\(name);" : "\(name): \(value)")
            }
        }
        // A range refers to the encoded body, so the body must not be encoded.
        if encoding == nil, isRange { encoding = "identity" }
        // As any other header: by the option of its name, libcurl would decode the body itself.
        try addHeader("Accept-Encoding: \(ContentCoding.accepted(encoding))")
        kf_curl_setopt_pointer(handle, CURLOPT_HTTPHEADER, headerList)
        setText(handle, CURLOPT_USERAGENT, userAgent)
    }

    /// Adds a header line; libcurl copies it.
    private func addHeader(_ line: String) throws(TransferError) {
        // 0xF3 is the first byte of the private-use characters of `HTTPSyntax.opaqueText`.
        let list: UnsafeMutablePointer<curl_slist>? =
            if line.utf8.contains(0xF3) {
                curl_slist_append(
                    headerList,
                    HTTPSyntax.bytes(ofOpaque: line).map { CChar(bitPattern: $0) } + [0]
                )
            } else {
                curl_slist_append(headerList, line)
            }
        guard let list else { throw .curl(code: 27, message: "out of memory", url: url) }
        headerList = list
    }

    /// Sets an option to a string; libcurl copies it.
    ///
    /// Avoids the array that Swift makes when a string is passed as a variadic C argument.
    @discardableResult
    func setText(
        _ handle: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ text: String
    ) -> CURLcode {
        text.withCString { kf_curl_setopt_string(handle, option, $0) }
    }

    /// Frees the header list of the hop.
    func releaseHeaders() {
        curl_slist_free_all(headerList)
        headerList = nil
    }
}

extension Duration {
    /// Whole milliseconds, rounded up and limited to 30 days, so that they fit every option.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 30 * 86_400 else { return 30 * 86_400_000 }
        guard seconds >= 0 else { return 0 }
        return Int(seconds) * 1000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

// libcurl's callbacks. The context is the exchange, which the loop retains while the handle is in
// use. They run inside `curl_multi_perform` or `curl_easy_pause`, on the loop's thread.

private func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
    context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
}

let curlHeadCallback: curl_write_callback = { bytes, size, count, context in
    guard let exchange = exchange(context), let bytes else { return 0 }
    let length = size * count
    let goesOn = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        exchange.receiveHeadLine(UnsafeBufferPointer(start: $0, count: length))
    }
    return goesOn ? length : 0
}

let curlBodyCallback: curl_write_callback = { bytes, size, count, context in
    guard let exchange = exchange(context), let bytes else { return 0 }
    exchange.touch()
    return exchange.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

/// Opens a socket, unless its address is refused.
let curlSocketCallback: curl_opensocket_callback = { context, _, address in
    guard let exchange = exchange(context), let address else { return Int32(kf_curl_socket_bad) }
    if !exchange.settings.addressPolicy.isUnrestricted {
        let bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            count = Int(kf_curl_address_bytes(address, buffer.baseAddress))
        }
        guard exchange.admits(NumericAddress(bytes: bytes)) else {
            return Int32(kf_curl_socket_bad)
        }
    }
    exchange.touch()
    exchange.hop.socketTime = exchange.hop.socketTime ?? exchange.round.now
    let socket = kf_curl_open_socket(address)
    let settings = exchange.settings
    exchange.sockets?.opened(socket, patience: max(settings.connectTimeout, settings.idleTimeout))
    return socket
}

/// Checks the peer again: a reused connection may have been opened under another policy.
///
/// Also refuses a reused connection on which bytes wait.
let curlBeforeRequestCallback: curl_prereq_callback = { context, peer, _, peerPort, port in
    guard let exchange = exchange(context) else { return CURL_PREREQFUNC_ABORT }
    exchange.touch()
    exchange.hop.isConnected = true
    if let sockets = exchange.sockets, let handle = exchange.handle {
        exchange.leaveConnection()
        let ends = CurlSockets.Ends(port: port, peer: peer, peerPort: peerPort)
        exchange.hop.connection = sockets.use(ends, handle)
        if let connection = exchange.hop.connection, !sockets.isQuiet(connection, handle) {
            exchange.hop.hasStaleConnection = true
            return CURL_PREREQFUNC_ABORT
        }
    }
    guard !exchange.settings.addressPolicy.isUnrestricted else { return CURL_PREREQFUNC_OK }
    let address = peer.flatMap { NumericAddress(text: String(cString: $0)) }
    return exchange.admits(address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

extension CurlExchange {
    /// Records and refuses an address that the policy excludes; an unreadable address is refused
    /// too.
    func admits(_ address: NumericAddress?) -> Bool {
        let range = address.map(\.range) ?? .reserved
        guard let range, settings.addressPolicy.refused.contains(range) else { return true }
        diagnosis.refuse(address, in: range)
        return false
    }
}
