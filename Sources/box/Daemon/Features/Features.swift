import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

extension Box {
    /// The features of a box in the order of their start. They stop in reverse: no new requests, then the announcement
    /// is finished, the panel goes dark, and the receipts and the offline status are sent last.
    ///
    /// This is the only place with an order, and the only one that makes one feature known to another. Blocks on the
    /// disk.
    static func features(in box: BoxContext) -> [any Feature] {
        let day = ShopDay(in: box)
        let history = HistoryRequestHandler(day: day, state: box.state, executor: box.files)
        let volume = VolumeControl(in: box)
        let quietTime = QuietTime(in: box, day)
        let unprovisioning = Unprovisioning(in: box)
        let commands = CommandHandler(volume: volume, unprovisioning: unprovisioning, requests: box.requests)
        let networkPrompts = NetworkPrompts(in: box, quietTime)
        let announcer = AnnouncerService(
            in: box, CustomMessageSounds(in: box), quietTime, day,
            AnnouncerEvents(box: box, unprovisioning, networkPrompts))
        let settings = box.remoteSettings.map { RemoteSettingsService(in: box, $0, volume) }
        let certificate = box.certificate.map { CertificateService(in: box, $0) }
        let session = SessionKeeper(in: box)
        let arrivals = ArrivalEvents(
            box: box, announcer: announcer, session: session, settings: settings, certificate: certificate,
            commands: commands)
        let feed = FeedService(in: box, Intake(in: box, arrivals), quietTime)
        let reporter = StatusReporter(in: box)
        let features: [(any Feature)?] = [
            box.clock, session, quietTime, feed.intake, history,
            ControlRequestHandler(in: box, history, volume, quietTime),
            box.metrics, MachineMetrics(stateDirectory: box.stateDirectory, thermalFolder: box.thermalFolder),
            // Without the sound card's thread: a restart repairs no driver, and payments are stored meanwhile.
            WatchdogService(systemd: box.systemd) { [salvage = box.salvage, player = box.player] in
                [salvage.stillness(feed.stillness), salvage.stillness(announcer.timeInJob), player.timeInJob]
            },
            InboxHousekeeping(in: box),
            // Started before every sender of commands, so it stops after them and stores their last volume.
            volume,
            feed,
            reporter,
            unprovisioning, settings,
            PanelService(in: box, commands, announcer),
            announcer, certificate, box.connection,
            ControlService(in: box, reporter),
            networkPrompts,
            DayEndService(in: box, day),
            StorageFaultService(state: box.state, requests: box.requests),
            StartService(systemd: box.systemd, logger: box.logger, identity: box.identity),
            ShopPage(in: box),
        ]
        return features.compactMap(\.self)
    }
}
