import SoundboxCore
import SoundboxYAML

/// What `soundbox.yaml` says about the parts of the daemon. Each part reads its own keys, in its own folder.
///
///     let settings = try BoxSettings(reading: top)
///     print(settings.quietHours.hours, settings.volume.least)
package struct BoxSettings: Sendable {
    package var announcements = AnnouncementSettings()
    package var quietHours = QuietHoursSettings()
    package var networkPrompts = NetworkPromptSettings()
    package var volume = VolumeSettings()
    package var ring = RingSettings()
    package var say = SaySettings()
    /// `nil` refuses every clip.
    package var clips: ClipSettings?
    package var day = DaySettings()
    package var inbox = Retention.usual
    package var status = StatusSettings()
    /// Where metrics are served by TCP; `nil` serves them on the control socket only.
    package var metrics: ListenAddress?
    /// `nil` without a page for the shop.
    package var page: ShopPageSettings?
    /// `nil` for a box without a certificate, or with one that it does not renew.
    package var certificate: CertificateSettings?

    package init() {}
}

extension BoxSettings {
    /// - Parameter top: the whole file.
    package init(reading top: YAMLMapping) throws(YAMLError) {
        let announce = try top.section("announce")
        announcements = try AnnouncementSettings(reading: announce)
        quietHours = try QuietHoursSettings(reading: announce)
        networkPrompts = try NetworkPromptSettings(reading: announce)
        try announce.refuseOtherKeys()
        volume = try VolumeSettings(reading: top.section("audio"))
        ring = try RingSettings(reading: top.section("ring"))
        say = try SaySettings(reading: top.section("say"))
        clips = try top.read("clips") { try ClipSettings(reading: $0) }
        day = try DaySettings(reading: top.section("day"))
        inbox = try Retention(reading: top.section("inbox"))
        status = try StatusSettings(reading: top.section("status"))
        metrics = try top.read("metrics") { try ListenAddress(readingMetrics: $0) }
        page = try top.read("page") { try ShopPageSettings(reading: $0) } ?? nil
        certificate = try top.read("enrolment") { try CertificateSettings(reading: $0) }
    }
}
