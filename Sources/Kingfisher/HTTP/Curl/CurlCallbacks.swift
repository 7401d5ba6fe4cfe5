import CCurl
import CCurlShim
import Foundation

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
    return kf_curl_open_socket(address)
}

/// Checks the peer again: a reused connection may have been opened under another policy.
let curlBeforeRequestCallback: curl_prereq_callback = { context, peer, _, _, _ in
    guard let exchange = exchange(context) else { return CURL_PREREQFUNC_ABORT }
    exchange.touch()
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
        refusedAddress = (address?.text ?? "an unknown kind of address", range)
        return false
    }
}
