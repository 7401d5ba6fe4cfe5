package import Kingfisher

extension TransferSettings {
    /// Settings without timeouts that a busy machine could reach, for all tests but those of
    /// timeouts.
    package static var patient: TransferSettings {
        var settings = TransferSettings()
        settings.idleTimeout = .seconds(600)
        settings.connectTimeout = .seconds(600)
        return settings
    }
}
