import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Scripts of announcements")
struct ScriptWriterTests {
    private let language: Language
    private let phrases: [String]

    init() throws {
        language = try Mandarin.language()
        phrases = Mandarin.phrases()
    }

    private func script(_ utterance: Utterance, without missing: [String] = []) -> AnnouncementScript {
        let phrases = phrases.filter { phrase in !missing.contains { phrase.contains($0) } }
        return ScriptWriter(language: language, phrases: phrases).script(for: utterance)
    }

    private func payment(_ amount: String, _ channel: String?, _ code: String = "CNY") throws -> Utterance {
        .payment(try Money(amount, try #require(Currency(code))), channel: channel)
    }

    @Test(
        "A payment is told with its channel, its amount and its unit",
        arguments: [
            ("alipay", "CNY", "支付宝到账,一百二十三点四五元"), ("wechat", "CNY", "微信到账,一百二十三点四五元"),
            ("ALIPAY", "CNY", "支付宝到账,一百二十三点四五元"), (nil, "CNY", "收款到账,一百二十三点四五元"),
            ("no-such-channel", "CNY", "收款到账,一百二十三点四五元"), ("alipay", "USD", "支付宝到账,一百二十三点四五美元"),
            ("{amount}", "CNY", "收款到账,一百二十三点四五元"),
        ])
    func payments(channel: String?, code: String, text: String) throws {
        let script = script(try payment("123.45", channel, code))
        #expect(script.text == text)
        #expect(script.shortcoming == nil)
    }

    @Test("Punctuation becomes a rest between recordings")
    func rests() throws {
        let script = script(try payment("23", "alipay"))
        let spoken = script.elements.map { element in
            switch element {
            case .phrase(let index): phrases[index]
            case .pause(let length): "\(length)"
            case .sound(let sound): "\(sound.duration)"
            }
        }
        #expect(spoken == ["支付宝到账", "\(Duration.milliseconds(160))", "二十三", "元"])
    }

    @Test("A refund is told as one")
    func refund() throws {
        #expect(script(.refund(try Money("5", .CNY))).text == "退款,五元")
    }

    private func kind(_ name: String, _ words: String) throws -> (ScriptWriter, KindName) {
        let name = try #require(KindName(name))
        var language = language
        language.kinds = [name: NewsKind(words: words)]
        language.prompts[.message] = "有一条消息"
        return (
            ScriptWriter(language: language, phrases: phrases + ["押金", "请", "号", "有一条消息"], chimes: [name: 0]), name
        )
    }

    @Test("A kind is told in its own words, behind its own chime")
    func kinds() throws {
        let (deposit, name) = try kind("deposit", "押金,{amount}")
        let script = try deposit.exactScript(for: .kind(name, amount: Money("5", .CNY), number: nil))
        #expect(script.text == "押金,五元")
        #expect(script.elements.first == .phrase(0))
        #expect(!script.lacksAmount)
        let (queue, number) = try kind("queue", "请{number}号")
        #expect(try queue.exactScript(for: .kind(number, amount: nil, number: 12)).text == "请十二号")
    }

    @Test("A kind that cannot be told is news all the same, and never sounds like a payment")
    func kindFallbacks() throws {
        let (deposit, name) = try kind("deposit", "押金,{amount}")
        let other = try Money("5.125", #require(Currency("KWD")))
        let known = deposit.script(for: .kind(name, amount: other, number: nil))
        #expect(known.text == "押金,其他币种,五点一二五" && known.shortcoming == .noUnit(other.currency))
        let gone = try #require(KindName("gone"))
        let script = deposit.script(for: .kind(gone, amount: other, number: nil))
        #expect(script.text == "有一条消息" && script.shortcoming == .noKind(gone) && script.lacksAmount)
        let (queue, number) = try kind("queue", "请{number}号")
        for wrong in [nil, -1, Int64.max] {
            #expect(queue.script(for: .kind(number, amount: nil, number: wrong)).text == "有一条消息")
        }
    }

    @Test("A repetition says first that it is one, and repeats every word of what it repeats")
    func repetition() throws {
        let payment = try payment("123.45", "alipay")
        let repeated = script(.replay(payment))
        #expect(repeated.text == "重复播报 支付宝到账,一百二十三点四五元")
        #expect(repeated.shortcoming == nil)
        #expect(Array(repeated.elements.suffix(script(payment).elements.count)) == script(payment).elements)
        #expect(script(.replay(.refund(try Money("5", .CNY)))).text == "重复播报 退款,五元")
        let unreadable = script(.replay(try self.payment("5", "alipay", "KWD")))
        #expect(unreadable.text == "重复播报 支付宝到账,其他币种,五")
        #expect(unreadable.shortcoming != nil)
    }

    @Test("A repetition whose words cannot be played is not begun; a voice that has none still says what it repeats")
    func repetitionWithoutWords() throws {
        let payment = try payment("7", "alipay")
        let without = script(.replay(payment), without: ["重复"])
        #expect(without.elements.isEmpty)
        #expect(without.shortcoming != nil)
        var language = language
        language.sentences[.replay] = nil
        let writer = ScriptWriter(language: language, phrases: phrases)
        #expect(writer.script(for: .replay(payment)) == writer.script(for: payment))
    }

    @Test("Late payments are counted with 两 and told with the total of each currency")
    func lateSummary() throws {
        let dollar = try #require(Currency("USD"))
        let one = script(.lateSummary(count: 2, totals: [try Money("15.5", .CNY)]))
        #expect(one.text == "离线期间收款两笔,共十五点五元")
        let two = script(.lateSummary(count: 3, totals: [try Money("2", .CNY), try Money("7", dollar)]))
        #expect(two.text == "离线期间收款三笔,共二元,七美元")
        #expect(two.shortcoming == nil)
    }

    @Test("A voice without the words for a fault of the setup says that the box is not in service")
    func promptFallback() throws {
        var older = language
        older.prompts[.setupFault] = nil
        let writer = ScriptWriter(language: older, phrases: phrases)
        #expect(writer.script(for: .prompt(.setupFault)) == writer.script(for: .prompt(.notProvisioned)))
        #expect(!writer.script(for: .prompt(.setupFault)).elements.isEmpty)
    }

    @Test("When nothing has been announced yet, the box says so")
    func nothingYet() {
        #expect(script(.prompt(.noPaymentYet)).text == "暂无收款")
    }

    @Test("The network is told with the address digit by digit, its numbers set apart; without one, without")
    func network() {
        let online = script(.network(isOnline: true, address: [192, 168, 1, 20]))
        #expect(online.text == "网络已连接 一九二 一六八 一 二零")
        #expect(online.shortcoming == nil)
        #expect(online.elements.count { $0 == .pause(.milliseconds(400)) } == 4)
        let offline = script(.network(isOnline: false, address: []))
        #expect(offline.text == "网络已断开")
        let withoutDigit = script(.network(isOnline: true, address: [7]), without: ["七"])
        #expect(withoutDigit.text == "网络已连接")
        #expect(withoutDigit.shortcoming == .missingPhrase("七"))
    }

    @Test("An amount of a currency without a word is told behind a warning that it is another currency's")
    func otherCurrency() throws {
        let dinar = try #require(Currency("KWD"))
        let five = Money(try DecimalNumber("5.125"), dinar)
        let payment = script(.payment(five, channel: "alipay"))
        #expect(payment.text == "支付宝到账,其他币种,五点一二五")
        #expect(payment.shortcoming == .noUnit(dinar))
        #expect(script(.payment(five, channel: nil)).text == "收款到账,其他币种,五点一二五")
        #expect(script(.refund(five)).text == "退款,其他币种,五点一二五")
        let yuan = Money(try DecimalNumber("7"), .CNY)
        let summary = script(.lateSummary(count: 2, totals: [yuan, five]))
        #expect(summary.text == "离线期间收款两笔,共七元,其他币种,五点一二五")
        #expect(summary.shortcoming == .noUnit(dinar))
        #expect(script(.today(count: 2, totals: [five])).text == "今日收款两笔,总计其他币种,五点一二五")
    }

    @Test("The day's takings are what came in, and then what was paid back")
    func dayTakings() throws {
        let (seven, two) = (try Money("7", .CNY), try Money("2", .CNY))
        var takings = DayTakings(payments: 2, totals: [seven], refunds: 1, refundTotals: [two])
        #expect(script(.dayTakings(takings)).text == "今日收款两笔,总计七元 退款一笔,共二元")
        #expect(script(.dayTakings(takings)).shortcoming == nil)
        // In part it would be misunderstood; what came in is right by itself.
        #expect(script(.dayTakings(takings), without: ["退款"]).text == "今日收款两笔,总计七元")
        takings.refundTotals = []
        #expect(script(.dayTakings(takings)).text == "今日收款两笔,总计七元")
        takings.totals = []
        #expect(script(.dayTakings(takings)).text == "今日收款两笔")
        #expect(script(.dayTakings(takings)).lacksAmount)
        #expect(script(.dayTakings(DayTakings(payments: 0, totals: []))).text == "今日收款零笔")
    }

    @Test("Where the warning cannot be said, the amount is not said either: a number alone would be taken for yuan")
    func noWarning() throws {
        let dinar = try #require(Currency("KWD"))
        let five = Money(try DecimalNumber("5"), dinar)
        let expected: [(Utterance, String)] = [
            (.payment(five, channel: "alipay"), "支付宝到账一笔"), (.payment(five, channel: nil), "到账一笔"),
            (.refund(five), "退款一笔"), (.lateSummary(count: 2, totals: [five]), "离线期间收款两笔"),
            (.today(count: 2, totals: [five]), "今日收款两笔"),
        ]
        var speechless = language
        speechless.otherCurrency = nil
        for (utterance, text) in expected {
            #expect(script(utterance, without: ["其他币种"]).text == text)
            let script = ScriptWriter(language: speechless, phrases: phrases).script(for: utterance)
            #expect(script.text == text)
            #expect(script.shortcoming == .noUnit(dinar))
        }
    }

    @Test("A missing recording in the amount leaves the amount out, and is named")
    func missingAmountRecording() throws {
        let script = script(try payment("7", "alipay"), without: ["七"])
        #expect(script.text == "支付宝到账一笔")
        #expect(script.shortcoming == .missingPhrase("七元"))
        #expect(!script.elements.isEmpty)
    }

    @Test("A missing recording of the channel costs the channel and not the amount")
    func missingChannelRecording() throws {
        let script = script(try payment("7", "alipay"), without: ["支付宝"])
        #expect(script.text == "收款到账,七元")
        #expect(script.shortcoming == .missingPhrase("支付宝到账"))
    }

    @Test("With most recordings missing a payment is still not silent")
    func almostNoRecordings() throws {
        let writer = ScriptWriter(language: language, phrases: ["到账一笔"])
        for utterance in [try payment("7", "alipay"), try payment("7", nil), .lateSummary(count: 2, totals: [])] {
            let script = writer.script(for: utterance)
            #expect(script.text == "到账一笔")
            #expect(script.elements == [.phrase(0)])
            #expect(script.shortcoming != nil)
        }
        #expect(throws: SpeechError.self) { try writer.exactScript(for: try payment("7", nil)) }
    }
}
