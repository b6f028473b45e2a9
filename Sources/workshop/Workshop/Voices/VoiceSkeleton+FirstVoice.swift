extension VoiceSkeleton {
    /// A complete `voice.yaml` that reads digit by digit, with English words to translate.
    static func firstVoice(_ locale: String) -> String {
        """
        # A voice that speaks every amount digit by digit: 1005.2 is "one zero zero five point two yuan". Translate the
        # English words, here and in the list of recordings at the end; then record the list:
        #
        #   soundbox-voicetools script \(locale) --sounds FOLDER              what to read aloud
        #   soundbox-voicetools import \(locale) take.wav --sounds FOLDER     the recording, cut into phrases
        #   soundbox-voicetools check \(locale) --sounds FOLDER               whether anything is missing
        #
        # docs/voice-authoring.md shows how to go on from here to numbers as people say them.
        locale: \(locale)
        # What the language calls itself.
        name: \(locale)
        # spaced: blanks separate words. unspaced: they do not, as in Chinese or Thai.
        words: spaced

        # The rule set that reads amounts. Where they differ: counting counts payments, numbering reads codes.
        cardinal: "%digits"
        numbers: |
          %digits:
          # A number with decimals: what is before the point (<<), the word, each digit after it (>>).
          x.x: << point >>;
          # The digits. A rule without a number is one more than the rule before.
          0: zero; one; two; three; four; five; six; seven; eight; nine;
          # From ten on: the number without its last digit (<<), then the last digit (>>).
          10: << >>;

        # point: twelve point five dollars. subunit: twelve dollars and fifty cents, where units name subunits.
        decimal: point

        # The word for each currency that customers pay in, by its ISO 4217 code; one and other where they differ.
        units:
          CNY: yuan
          USD: {one: dollar, other: dollars}
        # The currency of amounts that you try at the command line without naming one.
        currency: CNY
        # Said before an amount whose currency has no word above, so that nobody takes it for one that has.
        other_currency: "another currency, "

        # What payment channels are called, by the name that providers send. Others are announced without a name.
        channels:
          alipay: Alipay
          wechat: WeChat
          wechat_pay: WeChat
          bank_card: bank card
          cash: cash

        # What is said of payments. Each sentence needs its {placeholders}, each once. "unreadable" is for an amount that
        # cannot be read; "late" is what waited while the box was offline.
        sentences:
          payment: "{channel}, received, {amount}"
          payment_without_channel: "received, {amount}"
          refund: "refunded, {amount}"
          unreadable: "{channel}, payment received"
          unreadable_without_channel: payment received
          unreadable_refund: payment refunded
          late_summary: "while offline, {count}, payments, total, {total}"
          late_summary_without_total: "while offline, {count}, payments"
          today: "today, {count}, payments, total, {total}"
          today_without_total: "today, {count}, payments"
          # Said after "today" when money was paid back, too.
          today_refunds: "refunded, {count}, payments, total, {total}"
          # Said before a payment that is repeated, so that nobody takes it for another one.
          replay: repeated announcement

        # What the box says about itself.
        prompts:
          greeting: welcome
          volume_up: louder
          volume_down: softer
          volume_maximum: loudest
          volume_minimum: softest
          muted: muted
          network_lost: network lost
          network_restored: network restored
          not_provisioned: not set up yet
          setup_fault: setup fault
          unprovision_warning: keep holding to erase the settings
          storage_fault: storage fault
          no_payment_yet: no payment yet
          ring_missed: nobody answered
          cancelled: cancelled
          message: there is a message
          # Six digits follow, which let a phone onto the shop's page.
          sign_in_code: code for signing in
          # A payment message was refused.
          payment_unreadable: "a payment message cannot be read, please check your phone"
          # Said before a text that a synthesiser speaks.
          marker: message

        # Other news. A kind has words with {amount} (notices bring it), with {number} (commands bring it) or with neither;
        # none of the words of a payment. It may have a chime, a light and vibration of its own.
        kinds:
          deposit:
            words: "deposit, {amount}"
            light: {color: cyan, pattern: blink}
            vibration: true
          queue_number:
            words: "number, {number}"
            light: {color: yellow, pattern: flash}

        # How long punctuation marks rest.
        pauses: {",": 160ms, ".": 300ms}

        # Frames per second and loudness (LUFS) of every recording; `soundbox-voicetools import` sees to both.
        recording_format: {sample_rate: 24000, loudness: -22}

        # The bell before the speech. It is computed, not recorded.
        chime: chime

        # Every phrase that is recorded. file: its name without its ending, in small letters, digits and hyphens; text: the words,
        # exactly as above. A comment begins a group of the script that the speaker reads.
        recordings:
          # Digits
          - {file: zero, text: zero}
          - {file: one, text: one}
          - {file: two, text: two}
          - {file: three, text: three}
          - {file: four, text: four}
          - {file: five, text: five}
          - {file: six, text: six}
          - {file: seven, text: seven}
          - {file: eight, text: eight}
          - {file: nine, text: nine}
          - {file: point, text: point}
          # Currencies
          - {file: yuan, text: yuan}
          - {file: dollar, text: dollar}
          - {file: dollars, text: dollars}
          - {file: another-currency, text: another currency}
          # Channels
          - {file: alipay, text: Alipay}
          - {file: wechat, text: WeChat}
          - {file: bank-card, text: bank card}
          - {file: cash, text: cash}
          # What happened
          - {file: received, text: received}
          - {file: refunded, text: refunded}
          - {file: payment-received, text: payment received}
          - {file: payment-refunded, text: payment refunded}
          # Summaries
          - {file: while-offline, text: while offline}
          - {file: today, text: today}
          - {file: payments, text: payments}
          - {file: total, text: total}
          - {file: repeated-announcement, text: repeated announcement}
          # About the box
          - {file: welcome, text: welcome}
          - {file: louder, text: louder}
          - {file: softer, text: softer}
          - {file: loudest, text: loudest}
          - {file: softest, text: softest}
          - {file: muted, text: muted}
          - {file: network-lost, text: network lost}
          - {file: network-restored, text: network restored}
          - {file: not-set-up-yet, text: not set up yet}
          - {file: setup-fault, text: setup fault}
          - {file: keep-holding, text: keep holding to erase the settings}
          - {file: storage-fault, text: storage fault}
          - {file: no-payment-yet, text: no payment yet}
          # Rings, messages and other news
          - {file: nobody-answered, text: nobody answered}
          - {file: cancelled, text: cancelled}
          - {file: there-is-a-message, text: there is a message}
          - {file: code-for-signing-in, text: code for signing in}
          - {file: payment-message-cannot-be-read, text: a payment message cannot be read}
          - {file: please-check-your-phone, text: please check your phone}
          - {file: message, text: message}
          - {file: deposit, text: deposit}
          - {file: number, text: number}

        """
    }
}
