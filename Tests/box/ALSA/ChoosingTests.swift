import Glibc
import SoundboxALSA
import SoundboxCore
import Synchronization
import Testing

@Suite("Choosing the card that is most likely to have a speaker attached")
struct ChoosingTests {
    /// The likeliest card, what was told, and whether the kernel may still be finding cards.
    private final class Shop: Sendable {
        let likeliest = Mutex("hw:CARD=USB")
        let told = Mutex<[String]>([])
        let isStarting = Mutex(false)
        let gone = Mutex<[String?]>([])
        let now = Mutex(Duration.seconds(1000))
    }

    private let shop = Shop()
    private let pcm = ScriptedPCM()
    private let sink: ALSASink

    init() {
        pcm.change { $0.id = "USB" }
        sink = ALSASink(
            device: "", choosing: { [shop] in shop.likeliest.withLock { $0 } },
            isStarting: { [shop] in shop.isStarting.withLock { $0 } }, driver: pcm,
            deviceDidChange: { [shop] device, gone in
                shop.told.withLock { $0.append(device) }
                shop.gone.withLock { $0.append(gone) }
            }, now: { [shop] in shop.now.withLock { $0 } })
    }

    private var told: [String] { shop.told.withLock { $0 } }

    private func unplug(leaving device: String, _ id: String) {
        pcm.unplug()
        shop.likeliest.withLock { $0 = device }
        pcm.change { $0.id = id }
        pcm.plug()
    }

    private func announce() throws {
        let format = try sink.open()
        try sink.write(frames(2_000, of: format))
        try sink.drain()
    }

    @Test("It is chosen when it opens first and told once; a better one that comes later is not taken")
    func once() throws {
        #expect(told.isEmpty)
        try announce()
        shop.likeliest.withLock { $0 = "hw:CARD=Better" }
        try announce()
        try sink.checkDevice()
        sink.close()
        try sink.checkDevice()
        try announce()
        #expect(pcm.seen.openings == ["hw:CARD=USB", "hw:CARD=USB"])
        #expect(told == ["hw:CARD=USB"])
    }

    @Test("When the card is gone for ten seconds the next one plays, and stays when the first is back")
    func gone() throws {
        try announce()
        let format = try sink.open()
        try sink.write(frames(2_000, of: format))
        unplug(leaving: "hw:CARD=Headphones", "Headphones")
        pcm.change { $0.state = .disconnected }
        pcm.fail(.write, ENODEV)
        #expect(throws: AudioSinkError.self) { try sink.write(frames(48_000, of: format)) }
        #expect(told == ["hw:CARD=USB"])
        pcm.fail(.open, ENODEV)
        #expect(throws: AudioSinkError.self) { try sink.open() }
        shop.now.withLock { $0 += ALSASink.replugTimeout }
        try announce()
        #expect(told == ["hw:CARD=USB", "hw:CARD=Headphones"])
        #expect(shop.gone.withLock { $0 } == [nil, "hw:CARD=USB"])
        shop.likeliest.withLock { $0 = "hw:CARD=USB" }
        sink.close()
        try announce()
        #expect(pcm.seen.openings == ["hw:CARD=USB", "hw:CARD=Headphones", "hw:CARD=Headphones"])
    }

    @Test("When no card is left for a while, the next one that comes is told in place of the one that is gone")
    func allGone() throws {
        try announce()
        pcm.unplug()
        shop.likeliest.withLock { $0 = "default" }
        #expect(throws: AudioSinkError.self) { try sink.checkDevice() }
        #expect(throws: AudioSinkError.self) { try sink.open() }
        shop.now.withLock { $0 += ALSASink.replugTimeout }
        pcm.fail(.open, ENODEV)
        #expect(throws: AudioSinkError.self) { try sink.open() }
        shop.likeliest.withLock { $0 = "hw:CARD=Headphones" }
        pcm.change { $0.id = "Headphones" }
        pcm.plug()
        try announce()
        #expect(told == ["hw:CARD=USB", "default", "hw:CARD=Headphones"])
        #expect(shop.gone.withLock { $0 } == [nil, "hw:CARD=USB", "hw:CARD=USB"])
    }

    @Test("A card that is back within ten seconds plays on: a plug was moved")
    func back() throws {
        try announce()
        pcm.unplug()
        #expect(throws: AudioSinkError.self) { try sink.checkDevice() }
        shop.likeliest.withLock { $0 = "hw:CARD=Headphones" }
        #expect(throws: AudioSinkError.self) { try sink.open() }
        shop.now.withLock { $0 += .seconds(3) }
        pcm.plug()
        try announce()
        shop.now.withLock { $0 += .seconds(20) }
        pcm.unplug()
        #expect(throws: AudioSinkError.self) { try sink.open() }
        #expect(told == ["hw:CARD=USB"])
    }

    @Test("A device without a card, such as a sound server's, is left for a card, whenever that comes")
    func server() throws {
        shop.likeliest.withLock { $0 = "default" }
        pcm.change { $0.id = nil }
        try announce()
        shop.likeliest.withLock { $0 = "hw:CARD=USB" }
        pcm.change { $0.id = "USB" }
        try sink.checkDevice()
        #expect(told == ["default", "hw:CARD=USB"])
        #expect(shop.gone.withLock { $0 } == [nil, nil])
    }

    @Test("A card that is there and busy stays the choice: nobody may listen to the next best one")
    func busy() throws {
        try announce()
        sink.close()
        shop.likeliest.withLock { $0 = "hw:CARD=Headphones" }
        pcm.fail(.open, EBUSY)
        let error = sinkError { () throws(AudioSinkError) in _ = try sink.open() }
        guard case .unavailable("hw:CARD=USB", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        try announce()
        #expect(told == ["hw:CARD=USB"])
    }

    @Test(
        "Just after power on a better card is taken when the kernel has found it, between announcements",
        arguments: [true, false])
    func starting(isLooking: Bool) throws {
        shop.isStarting.withLock { $0 = true }
        shop.likeliest.withLock { $0 = "sysdefault:CARD=vc4hdmi0" }
        pcm.change { $0.id = "vc4hdmi0" }
        let format = try sink.open()
        shop.likeliest.withLock { $0 = "hw:CARD=USB" }
        try sink.write(frames(2_000, of: format))
        try sink.drain()
        #expect(told == ["sysdefault:CARD=vc4hdmi0"])
        if isLooking { try sink.checkDevice() } else { try announce() }
        #expect(told == ["sysdefault:CARD=vc4hdmi0", "hw:CARD=USB"])
        #expect(pcm.seen.openings.last == "hw:CARD=USB")
    }
}
