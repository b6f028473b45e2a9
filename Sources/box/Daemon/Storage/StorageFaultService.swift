import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech

/// Speaks a prompt, once per fault, when payments cannot be stored or stored ones may be lost. Otherwise the shop would
/// take silence for "nobody has paid".
struct StorageFaultService: Service, Feature {
    let state: BoxState
    let requests: AnnouncerRequests

    func run() async {
        var hadFault = false
        var toldDamage: String?
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            let hasFault = snapshot.inboxFault != nil
            let isNewDamage = snapshot.inboxDamage != nil && snapshot.inboxDamage != toldDamage
            if hasFault && !hadFault || isNewDamage { requests.say(.storageFault) }
            (hadFault, toldDamage) = (hasFault, snapshot.inboxDamage)
        }
    }
}
