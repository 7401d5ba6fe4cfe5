internal import CServerCrypto

/// A key pair for tests, and the check of a signature without the service's code.
enum TestKey {
    /// Whether a signature with RSA and SHA-256 is right.
    static func accepts(_ signature: [UInt8], for text: String) -> Bool {
        let (pem, text) = (Array(open.utf8), Array(text.utf8))
        guard let input = BIO_new_mem_buf(pem, Int32(pem.count)) else { return false }
        defer { BIO_free(input) }
        guard let key = PEM_read_bio_PUBKEY(input, nil, nil, nil) else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }

    static let open = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArpWENMggspFNpJ/UhLnU
        AAeEElWpOTSmv/HAMZ2r1x58knDn5V7+kstbhCPNZNe96inD5asc7j3aQ5fPkhEq
        J/A1993byjeAPn3G6iJjX7hIoalNmgSaXZJHhE5nhXIioOupnjyHBZ8CbZxzqhCK
        0Qa6Lq7Ks3sQbWJ0xpD5SJGOc/KbYZjtbIPGe0f55E8wOqfDxJkBazqf+a7RkntE
        gjYOQhKjAxNtALa0B2AE/nL/Rh/d10r5rIe1N40hvpTrUDkJSViBa+rrhLQ/3IoJ
        eY63roLitaKo3hBqAhNc5/hE1bDrFj5TSg8pj/vS0QrwJ+fgaHFNz1FsEwQdVo4O
        lwIDAQAB
        -----END PUBLIC KEY-----
        """

    static let secret = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCulYQ0yCCykU2k
        n9SEudQAB4QSVak5NKa/8cAxnavXHnyScOflXv6Sy1uEI81k173qKcPlqxzuPdpD
        l8+SESon8DX33dvKN4A+fcbqImNfuEihqU2aBJpdkkeETmeFciKg66mePIcFnwJt
        nHOqEIrRBroursqzexBtYnTGkPlIkY5z8pthmO1sg8Z7R/nkTzA6p8PEmQFrOp/5
        rtGSe0SCNg5CEqMDE20AtrQHYAT+cv9GH93XSvmsh7U3jSG+lOtQOQlJWIFr6uuE
        tD/cigl5jreuguK1oqjeEGoCE1zn+ETVsOsWPlNKDymP+9LRCvAn5+BocU3PUWwT
        BB1Wjg6XAgMBAAECggEAKA7zkl7XLdHsVFk+HKQ88jLHSaOxHAiqOEGivV+1xbrf
        j4RrmTQ2Sn1xxrymTLy5/WhO5Dxie4Hiun6zaIsatqZF49VasKgSe4RFp4Rzc8un
        krxzq2Lh/pVpZoDM/RAmxPC97yppOs908ayj14JLL9IQ11RQ+2TB7K9aJxOtt0oZ
        bNYDgwI788naJjzIi9ZsIVi9Hv9ncePiP6mkENiRl7lX4GzoJE5p6yYVRQiGMzms
        U9Yg6N6LdISnofLbWUeo9AFq82Q+PRMWjP72uzZySFmGwPf/vZP2j23gWnWGFp7v
        EDx8w0f/e7/0NnYr7GNMaxvc7m1HXfitgbPpT51MNQKBgQDkXGUYpqo2lbB4+eRB
        ZFJ8JUSZLQ6RrUuEjhngPhSidtbjDis04WbNkZ4cqOYWq4S7W8mzpARQxCUk59pn
        xr0IpHdfcCTzHnaDxvJaMYvMPZkJPP3h08f8KYxzPl8Ra/kChgkSTmz4h2dO234B
        UADh7hC3hrJzDBvq0fVXxk9FXQKBgQDDtuHm2T1dwph3772uBQFpQg1mRBRkbtNu
        m5VJrTAWuy5IRn1RW2+n18Ke9bakuXgVQrn7Q86kkMbvbodrqda08Py6ts0Gpilp
        c2MpojkBqW2ODh64E8ypU+NCk1ufviKoU0Fg86iwHXJBKoNYO1jqHpAkmGbv4pv0
        0wYW1grQgwKBgEZA7pEw5Pi6AHqXVlOPy5iJ1prRM8Q5bhwvo2JLdwmsSdu8hipU
        lc30WJI0m+Spi8IgMONlODaowUyjT5vRlmJMRrVDyPpKiudrky+QQpPo92XSL8ED
        6Gh5V840iAbSEt9l4PCS1A95iJzIBfHdbQgUt2vespOWTBhn03TXe5e5AoGBAJK0
        tiV7Vnq/8daFyWN2sRYbwzuTcM3QHYFd8swlnFSNvyXCYRHpPotMOsE5Ys2bkZ4u
        RIdKzs2hEN5NtglIaH993ZSAjrObPpOjQQPmbGEIhezkPLazcMjE7yfqmdXmisgu
        kGWCgEJz8D9VBNvQsNfeTSKBczgCX/FndbsMe1LNAoGAXAwBY9yeMvbUYIVJ/Qjn
        JWrIEUw2kUIJPl+y/KSUQ0j3nVsofIZjYgJCGRFVK0UKgbBKgpAtOZaqAaRg89B0
        pQm64fuwLQFXO9HO8G1ccJ7ZV90RRY8knsqsLYHWtBlvVO2ndGGq2zx0ztpd8Kfj
        2FroczzSQui3eyA27okvfus=
        -----END PRIVATE KEY-----
        """
}
