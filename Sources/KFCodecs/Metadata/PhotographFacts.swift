import FoundationEssentials

/// When, where and with what a photograph was taken, as its Exif states it.
package struct PhotographFacts: Sendable, Equatable {
    /// `2024:05:06 07:08:09`, in the camera's zone.
    package var date: String?
    /// In degrees, north and east of zero; both or none.
    package var position: (latitude: Double, longitude: Double)?
    /// The maker and the model.
    package var camera: String?

    package static func == (a: PhotographFacts, b: PhotographFacts) -> Bool {
        a.date == b.date && a.camera == b.camera && a.position?.latitude == b.position?.latitude
            && a.position?.longitude == b.position?.longitude
    }
}

extension FileMetadata {
    /// The facts in the Exif; empty without it.
    package var facts: PhotographFacts {
        exif.flatMap(ExifBlock.init)?.facts ?? PhotographFacts()
    }
}
