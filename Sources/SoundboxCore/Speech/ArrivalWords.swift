/// What money that arrives is called, in the languages that ship and in any voice: senders mix languages.
enum ArrivalWords {
    /// The sentences whose words belong to arrivals alone.
    static let sentences: [Language.Sentence] = [
        .payment, .paymentWithoutChannel, .unreadable, .unreadableWithoutChannel,
    ]

    static let all = [
        // Chinese, simplified: variants are folded.
        "到账", "收款", "收到", "收钱", "收讫", "实收", "入账", "转账", "付款", "付讫", "已付", "付了", "已支付", "支付成功", "支付完成", "交易成功",
        "充值成功", "进账", "汇款", "打款", "钱到", "钱已到", "入数", "过数", "款项",
        "资金已到", "款已到", "钱来了", "来钱了", "买单成功", "退款成功", "新收入", "给了钱", "收欵", "収款",
        "received", "recieved", "payment of", "payment from", "payment successful", "payment complete",
        "payment completed", "payment has come in", "transfer complete", "transaction approved",
        "payment confirmed", "payment accepted", "incoming payment", "incoming transfer", "money in", "paid", "payed",
        "deposited", "credited", "transferred", "funds arrived", "money arrived", "payment arrived",
        "nhận được", "đã nhận", "nhận tiền", "tiền về", "tiền vào", "đã thanh toán", "thanh toán thành công",
        "đã trả tiền",
        "đã chuyển khoản", "chuyển khoản thành công", "ghi có",
        "รับเงิน", "ได้รับ", "เงินเข้า", "โอนเงิน", "โอนแล้ว", "ชำระเงินแล้ว", "ชำระแล้ว", "จ่ายแล้ว", "ยอดเข้า", "จ่ายเงินแล้ว",
        "diterima", "menerima", "uang masuk", "wang masuk", "duit masuk", "dana masuk", "pembayaran masuk",
        "bayaran masuk", "pembayaran berhasil", "pembayaran sukses", "bayaran berjaya", "dibayar", "sudah bayar",
        "telah bayar", "transfer masuk", "masuk rekening", "lunas", "terima bayaran", "terima pembayaran",
        "erhalten", "eingegangen", "eingezahlt", "gutgeschrieben", "überwiesen", "ueberwiesen", "bezahlt", "gezahlt",
        "überwies", "ueberwies", "beglichen", "kassiert", "gutschrift", "zahlungseingang", "geldeingang",
        "입금", "송금", "받았습니다", "받았어요", "決濟", "決済",
        "प्राप्त", "प्राप्ति", "भुगतान हुआ", "भुगतान मिला", "भुगतान सफल", "भुगतान हो गया", "जमा हुआ", "जमा हुए", "पैसे मिले", "पैसा मिला", "पैसे आए",
        "पैसा आया", "क्रेडिट हुआ", "क्रेडिट हुए", "prapt",
    ].sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }

    /// Chinese in Latin letters, with or without the digits of its tones, as synthesisers read it.
    static let spelled = [
        "daozhang", "shoukuan", "shoudao", "ruzhang", "zhuanzhang", "fukuan", "jinzhang", "zhifuchenggong", "saudou",
        "jap zoeng",
    ].compactMap(FoldedWord.init)

    /// What tells of an arrival only beside another word, with anything between: Zahlung war erfolgreich.
    struct Pair: Sendable {
        let money: [FoldedWord]
        let done: [FoldedWord]

        fileprivate init(_ money: [String], _ done: [String]) {
            self.money = money.compactMap(FoldedWord.init)
            self.done = done.compactMap(FoldedWord.init)
        }
    }

    /// The money comes first: “Please complete your payment” asks for one.
    static let pairs = [
        Pair(
            ["payment", "transfer", "transaction", "money", "funds", "remittance"],
            [
                "successful", "successfully", "complete", "completed", "confirmed", "accepted", "approved", "settled",
                "cleared", "arrived", "came in", "come in", "came through", "come through", "went through",
                "gone through", "is here", "is in", "has landed", "on your account", "on the account",
                "in your account",
                "in the account",
            ]),
        Pair(
            [
                "zahlung", "bezahlung", "kartenzahlung", "barzahlung", "überweisung", "ueberweisung", "transaktion",
                "geld", "betrag",
            ],
            [
                "erfolgreich", "erfolgt", "da", "angekommen", "eingetroffen", "eingelangt", "abgeschlossen",
                "genehmigt",
                "bestätigt", "bestaetigt", "verbucht", "gebucht", "durch", "auf dem konto", "auf ihrem konto",
                "auf deinem konto",
            ]),
        Pair(
            ["결제", "결재", "지불", "계산", "이체", "납부", "승인"],
            ["완료", "되었", "됐", "됨", "되셨", "하셨", "했습", "했어", "성공", "끝났"]),
        Pair(
            ["돈", "대금", "금액", "현금", "요금"],
            ["들어왔", "들어옴", "들어와", "왔습", "왔어", "도착", "받았", "보냈", "입금"]),
    ]

    /// Pieces of payment sentences that say nothing of an arrival by themselves.
    static let neutral = ["payment", "pembayaran", "bayaran", "भुगतान", "หนึ่งรายการ", "qua"]

    /// What holds one of these words and tells of no arrival.
    static let harmless = [
        "收款音箱", "收款喇叭", "收款码", "收款台", "收款机", "收款处", "付款码", "付款处", "请付款", "未付款", "待付款", "请先付款", "not received",
        "not paid", "not yet paid", "nicht bezahlt", "unbezahlt", "nicht erhalten", "to be paid", "not successful",
        "not complete", "not completed", "not approved",
        "not accepted", "not confirmed", "nicht erfolgreich", "nicht erfolgt", "nicht genehmigt", "belum diterima",
        "belum dibayar", "돈까스", "돈가스",
    ]
}
