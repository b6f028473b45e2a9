import Foundation
import SoundboxHardware
import Testing

@testable import SoundboxSetup

@Suite("The conversation of setup")
struct SetupDialogueTests {
    private static let choices = SetupChoices(
        voices: ["en-IN", "zh-CN"], boards: ["none", "raspberry-pi"],
        cards: [
            AudioOutputs.Card(device: "hw:CARD=Device", description: "USB Audio Device"),
            AudioOutputs.Card(device: "hw:CARD=Headphones", description: "bcm2835 Headphones"),
        ])

    private static let samples = [
        SpeakerSample(locale: "zh-CN", id: "xiaoxiao", name: "晓晓"),
        SpeakerSample(locale: "zh-CN", id: "yunxi", name: "云希"),
        SpeakerSample(locale: "en-IN", id: "emma", name: "Emma"),
    ]

    private func dialogue(
        _ change: (inout SetupAnswers) -> Void = { _ in }, given: Set<SetupQuestion> = [], code: [Int] = [],
        samples: [SpeakerSample] = []
    ) -> SetupDialogue {
        var choices = Self.choices
        choices.samples = samples
        var answers = SetupAnswers()
        change(&answers)
        return SetupDialogue(answers: answers, given: given, choices: choices, code: code)
    }

    /// Answers in order, with a broker that works.
    private func answer(_ dialogue: inout SetupDialogue, _ lines: String...) {
        for line in lines {
            dialogue.answer(line)
            dialogue.brokerWasChecked(isUsable: true)
        }
    }

    @Test("It asks for everything once, and Enter takes the usual answers")
    func fromStartToEnd() {
        var dialogue = dialogue()
        answer(&dialogue, "M1001", "box-01", "mqtt://127.0.0.1", "", "", "", "", "", "")
        #expect(dialogue.step == .finish)
        #expect(dialogue.answers.merchantID == "M1001")
        #expect(dialogue.answers.brokerURL == "mqtt://127.0.0.1:1883")
        #expect(dialogue.answers.username == nil)
        #expect(dialogue.answers.volume == 80)
    }

    @Test(
        "A wrong answer is explained at once and asked for again",
        arguments: [
            (SetupQuestion.merchantID, "M/1", "holds \"/\""), (.merchantID, "+", "holds \"+\""),
            (.brokerURL, "http://x", "mqtt or mqtts"), (.brokerURL, "mqtts://a, mqtt://b", "the weakest would count"),
            (.brokerURL, ",", "mqtt://host:port"), (.voice, "fr-FR", "there are: en-IN, zh-CN"),
            (.voice, "zh-CN, fr-FR", "no voice \"fr-FR\""), (.voice, "zh-CN,zh-CN", "twice"),
            (.voice, "zh-CN,", "no voice"),
            (.currency, "XYZ", "ISO 4217"), (.board, "nano", "there are: none, raspberry-pi"),
            (.audioDevice, "3", "a number from 1 to 2"), (.audioDevice, "0", "a number from 1 to 2"),
            (.volume, "101", "0 to 100"), (.volume, "loud", "0 to 100"),
        ])
    func wrongAnswer(question: SetupQuestion, line: String, reason: String) {
        var dialogue = dialogue(given: Set(SetupQuestion.allCases).subtracting([question]))
        dialogue.brokerWasChecked(isUsable: true)
        #expect(dialogue.step == .ask(question))
        let before = dialogue.answers
        dialogue.answer(line)
        #expect(dialogue.step == .ask(question))
        #expect(dialogue.problem?.contains(reason) == true)
        #expect(dialogue.answers == before)
    }

    @Test("Sound cards are proposed in order with their names, and chosen by number or by name")
    func soundCards() throws {
        let text = SetupQuestion.audioDevice.text(Self.choices)
        let first = try #require(text.range(of: "1 for USB Audio Device, hw:CARD=Device"))
        let second = try #require(text.range(of: "2 for bcm2835 Headphones, hw:CARD=Headphones"))
        #expect(first.lowerBound < second.lowerBound)
        for (typed, taken) in [("2", "hw:CARD=Headphones"), ("auto", "auto"), ("default", "default"), ("hw:0", "hw:0")]
        {
            var answers = SetupAnswers()
            try SetupQuestion.audioDevice.store(typed, &answers, Self.choices)
            #expect(answers.audioDevice == taken)
        }
        let none = SetupChoices(voices: [], boards: [], cards: [])
        #expect(SetupQuestion.audioDevice.text(none).contains("no card is there"))
        var answers = SetupAnswers()
        #expect(throws: SetupError.self) { try SetupQuestion.audioDevice.store("1", &answers, none) }
    }

    @Test("What has no usual answer cannot be left out")
    func emptyAnswer() {
        var dialogue = dialogue()
        dialogue.answer("  ")
        #expect(dialogue.step == .ask(.merchantID))
        #expect(dialogue.problem?.contains("an answer is needed") == true)
    }

    @Test("< goes back to the question before, over those that do not apply")
    func back() {
        var dialogue = dialogue()
        dialogue.answer("<")
        #expect(dialogue.problem == "this is the first question")
        answer(&dialogue, "M1001", "box-01", "mqtt://127.0.0.1", "")
        #expect(dialogue.step == .ask(.voice))
        dialogue.answer("<")
        #expect(dialogue.step == .ask(.username))
        dialogue.answer("<")
        dialogue.answer("<")
        #expect(dialogue.step == .ask(.deviceID))
        dialogue.answer("")
        #expect(dialogue.answers.deviceID == "box-01")
    }

    @Test("quit ends it at any question")
    func quit() {
        for lines in [["quit"], ["M1001", "quit"], ["M1001", "box-01", "mqtt://h", "-", "", "quit"]] {
            var dialogue = dialogue()
            for line in lines {
                dialogue.answer(line)
                dialogue.brokerWasChecked(isUsable: true)
            }
            #expect(dialogue.step == .quit)
        }
    }

    @Test("Certificates are asked for with mqtts only, a key with a certificate only, a password with a user name only")
    func questionsThatApply() {
        var dialogue = dialogue()
        answer(&dialogue, "M1001", "box-01", "mqtts://h", "-")
        #expect(dialogue.step == .ask(.caFile))
        answer(&dialogue, "-", "-")
        #expect(dialogue.step == .ask(.voice))

        dialogue = self.dialogue()
        answer(&dialogue, "M1001", "box-01", "mqtt://h", "someone")
        #expect(dialogue.step == .ask(.password))
        dialogue.answer("s3cret")
        #expect(dialogue.step == .checkBroker)
        #expect(dialogue.answers.password == Secret("s3cret"))
    }

    @Test("Where a language has several speakers, each is heard and one is chosen, behind device and volume")
    func speakers() {
        let all = Set(SetupQuestion.allCases).subtracting([.voice, .volume, .speaker])
        var dialogue = dialogue(given: all, samples: Self.samples)
        dialogue.brokerWasChecked(isUsable: true)
        dialogue.answer("zh-CN")
        dialogue.answer("")
        #expect(dialogue.step == .playSamples(Array(Self.samples.prefix(2))))
        dialogue.samplesWerePlayed()
        #expect(dialogue.step == .ask(.speaker))
        dialogue.answer("again")
        #expect(dialogue.step == .playSamples(Array(Self.samples.prefix(2))))
        dialogue.samplesWerePlayed()
        dialogue.answer("emma")
        #expect(dialogue.problem == "there is no speaker \"emma\" of zh-CN; there are: xiaoxiao, yunxi")
        dialogue.answer("<")
        #expect(dialogue.step == .ask(.volume))
        dialogue.answer("50")
        dialogue.samplesWerePlayed()
        dialogue.answer("yunxi")
        #expect(dialogue.step == .finish && dialogue.answers.speakers == ["zh-CN": "yunxi"])
    }

    @Test("Where there is no choice of speakers nobody is asked, and Enter takes the usual one")
    func usualSpeaker() {
        let all = Set(SetupQuestion.allCases).subtracting([.voice, .speaker])
        var dialogue = dialogue(given: all, samples: Self.samples)
        dialogue.brokerWasChecked(isUsable: true)
        dialogue.answer("en-IN")
        #expect(dialogue.step == .finish && dialogue.answers.speakers == [:])
        dialogue = self.dialogue(given: all, samples: Self.samples)
        dialogue.brokerWasChecked(isUsable: true)
        dialogue.answer("zh-CN, en-IN")
        dialogue.samplesWerePlayed()
        dialogue.answer("")
        #expect(dialogue.step == .finish && dialogue.answers.speakers == ["zh-CN": "xiaoxiao"])
    }

    @Test(
        "Speakers are named by id, with their language where that is not clear, and with the voice",
        arguments: [
            ("zh-CN", "yunxi", ["zh-CN": "yunxi"]), ("zh-CN,en-IN", "yunxi", ["zh-CN": "yunxi"]),
            ("zh-CN,en-IN", "emma", ["en-IN": "emma"]),
            ("zh-CN,en-IN", "en-IN=emma, yunxi", ["zh-CN": "yunxi", "en-IN": "emma"]),
            ("zh-CN-yunxi", nil, ["zh-CN": "yunxi"]), ("zh-CN-yunxi", "-", [:]), ("zh-CN", "-", [:]),
        ] as [(String, String?, [String: String])])
    func namingSpeakers(voices: String, typed: String?, speakers: [String: String]) throws {
        var choices = Self.choices
        choices.samples = Self.samples
        var answers = SetupAnswers()
        try SetupQuestion.voice.store(voices, &answers, choices)
        if let typed { try SetupQuestion.speaker.store(typed, &answers, choices) }
        #expect(answers.speakers == speakers)
    }

    @Test(
        "Who does not speak is refused, with those who do",
        arguments: [
            ("zh-CN", "emma", "there are: xiaoxiao, yunxi"),
            ("zh-CN", "en-IN=emma", "en-IN is not spoken; expected zh-CN"),
            ("zh-CN", "yunxi,xiaoxiao", "two speakers for zh-CN"), ("zh-CN", "yunxi,", "no speaker \"\""),
            ("zh-CN", "zh-CN=", "no speaker \"\""), ("zh-CN-nobody", nil, "there are: en-IN, zh-CN"),
            ("zh-CN,zh-CN-yunxi", nil, "twice"),
        ] as [(String, String?, String)])
    func wrongSpeakers(voices: String, typed: String?, problem: String) throws {
        var choices = Self.choices
        choices.samples = Self.samples
        var answers = SetupAnswers()
        let error = try #require(throws: SetupError.self) {
            try SetupQuestion.voice.store(voices, &answers, choices)
            if let typed { try SetupQuestion.speaker.store(typed, &answers, choices) }
        }
        #expect(error.description.contains(problem), "\(error)")
    }

    @Test("What came by option is not asked")
    func given() {
        var dialogue = dialogue({ $0.merchantID = "M1" }, given: [.merchantID, .deviceID, .username])
        #expect(dialogue.step == .ask(.brokerURL))
        dialogue.answer("mqtt://h")
        #expect(dialogue.step == .checkBroker)
    }

    @Test("A broker that does not work is asked for again, with what was given by option as well")
    func brokenBroker() {
        var dialogue = dialogue(
            { $0.brokerURL = "mqtt://h:1883" }, given: [.merchantID, .deviceID, .brokerURL, .username])
        #expect(dialogue.step == .checkBroker)
        dialogue.brokerWasChecked(isUsable: false)
        #expect(dialogue.step == .askToGoOn)
        dialogue.answer("maybe")
        #expect(dialogue.step == .askToGoOn)
        dialogue.answer("")
        #expect(dialogue.step == .ask(.brokerURL))
    }

    @Test("An installer may go on with a broker that is not there yet")
    func goOn() {
        var dialogue = dialogue(given: [.merchantID, .deviceID, .brokerURL, .username])
        dialogue.brokerWasChecked(isUsable: false)
        dialogue.answer("yes")
        #expect(dialogue.step == .ask(.voice))
    }

    @Test("Only who hears the box can finish: the code is said, asked for, and said again")
    func code() {
        var dialogue = dialogue(given: Set(SetupQuestion.allCases), code: [4, 0, 7, 1])
        dialogue.brokerWasChecked(isUsable: true)
        #expect(dialogue.step == .speakCode([4, 0, 7, 1]))
        dialogue.codeWasSpoken(true)
        dialogue.answer("")
        #expect(dialogue.step == .speakCode([4, 0, 7, 1]))
        dialogue.codeWasSpoken(true)
        dialogue.answer("4711")
        #expect(dialogue.problem?.contains("not what this box said") == true)
        dialogue.codeWasSpoken(true)
        dialogue.answer("4071")
        #expect(dialogue.step == .finish)
    }

    @Test("Three wrong codes end setup, so that nobody tries all of them")
    func wrongCodes() {
        var dialogue = dialogue(given: Set(SetupQuestion.allCases), code: [4, 0, 7, 1])
        dialogue.brokerWasChecked(isUsable: true)
        for _ in 1...3 {
            dialogue.codeWasSpoken(true)
            dialogue.answer("1234")
        }
        #expect(dialogue.step == .quit)
    }

    @Test("Without sound there is no code to ask for")
    func noSound() {
        var dialogue = dialogue(given: Set(SetupQuestion.allCases), code: [1])
        dialogue.brokerWasChecked(isUsable: true)
        dialogue.codeWasSpoken(false)
        #expect(dialogue.step == .finish)
    }

    @Test("Neither text nor dump of the answers shows the password")
    func secrets() {
        var answers = SetupAnswers()
        answers.password = Secret("s3cret")
        var dumped = ""
        dump(answers, to: &dumped)
        #expect(!"\(answers)".contains("s3cret"))
        #expect(!dumped.contains("s3cret"))
    }
}
