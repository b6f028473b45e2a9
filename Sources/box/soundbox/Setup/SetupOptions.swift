import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxYAML

/// One option for each question.
struct SetupOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The merchant, as the payment provider names it.", valueName: "id"))
    var merchantID: String?

    @Option(help: ArgumentHelp("This box; otherwise a name made from the hardware's serial number.", valueName: "id"))
    var deviceID: String?

    @Option(
        help: ArgumentHelp(
            "mqtts://host[:port], or mqtt:// without encryption; several with commas between.", valueName: "url"))
    var broker: String?

    @Option(help: ArgumentHelp("User name at the broker; - for none.", valueName: "name"))
    var username: String?

    @Option(help: ArgumentHelp("A file with the password on its first line, to be copied.", valueName: "file"))
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("PEM: the authority that vouches for the broker; - for the system's.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("PEM: this box's certificate; - for none.", valueName: "file"))
    var certFile: String?

    @Option(help: ArgumentHelp("PEM: the key to that certificate.", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("Which voice speaks, or several: zh-CN,en-US.", valueName: "locale"))
    var voice: String?

    @Option(
        help: ArgumentHelp(
            "Who speaks, where a language has several speakers: yunxi, or zh-CN=yunxi,en-US=emma; - for the usual one.",
            valueName: "id"))
    var speaker: String?

    @Option(help: ArgumentHelp("Currency of payments that name none, a code of ISO 4217.", valueName: "code"))
    var currency: String?

    @Option(help: ArgumentHelp("What is wired to the box: a board file's name, or none.", valueName: "name"))
    var board: String?

    @Option(help: ArgumentHelp("An ALSA device, such as default.", valueName: "device"))
    var audioDevice: String?

    @Option(help: ArgumentHelp("0 to 100.", valueName: "level"))
    var volume: Int?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any other key of soundbox.yaml, such as announce.expire_after=1h.", valueName: "key=value"))
    var others: [String] = []

    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp("Remove a key of soundbox.yaml, such as authenticity.next_key_file.", valueName: "key"))
    var removed: [String] = []

    /// The given answers, by question.
    var given: [SetupQuestion: String] {
        get throws {
            var given: [SetupQuestion: String] = [:]
            given[.merchantID] = merchantID
            given[.deviceID] = deviceID
            given[.brokerURL] = broker
            given[.username] = username
            if let passwordFile {
                let password = try SetupQuestion.password(inFile: passwordFile)
                given[.password] = password.text
                if password.hadBlanks {
                    printError("\(passwordFile): the blanks before or behind the password are left out")
                }
            }
            given[.caFile] = caFile
            given[.certFile] = certFile
            given[.keyFile] = keyFile
            given[.voice] = voice
            given[.speaker] = speaker
            given[.currency] = currency
            given[.board] = board
            given[.audioDevice] = audioDevice
            given[.volume] = volume.map { String($0) }
            return given
        }
    }

    func setOthers(in document: inout YAMLDocument) throws {
        for key in removed { document[path: key.split(separator: ".").map(String.init)] = nil }
        for other in others {
            guard let equals = other.firstIndex(of: "="), equals > other.startIndex else {
                throw ValidationError("--set takes key=value, such as announce.expire_after=1h; there is no = in it.")
            }
            let key = other[..<equals]
            let path = key.split(separator: ".").map(String.init)
            if let file = Provisioning.fileKey(ofSecret: path) {
                throw ValidationError(
                    "--set \(key) would show the secret to every user of this machine, in ps: put it into a file of "
                        + "mode 600 and give --set \(file)=FILE.")
            }
            document[path: path] = String(other[other.index(after: equals)...])
        }
    }
}
