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
        "zahlungseingang",
        "geldeingang", "geld ist da",
        "결제 완료", "결제완료", "결제되었", "결제됐", "입금", "송금", "받았습니다", "이체되었",
        "प्राप्त", "प्राप्ति", "भुगतान हुआ", "भुगतान मिला", "भुगतान सफल", "भुगतान हो गया", "जमा हुआ", "जमा हुए", "पैसे मिले", "पैसा मिला", "पैसे आए",
        "पैसा आया", "क्रेडिट हुआ", "क्रेडिट हुए", "prapt",
    ].sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }

    /// Chinese in Latin letters, with or without the digits of its tones, as synthesisers read it.
    static let spelled = [
        "daozhang", "shoukuan", "shoudao", "ruzhang", "zhuanzhang", "fukuan", "jinzhang", "zhifuchenggong", "saudou",
        "jap zoeng",
    ].compactMap(FoldedWord.init)

    /// Pieces of payment sentences that say nothing of an arrival by themselves.
    static let neutral = ["payment", "pembayaran", "bayaran", "भुगतान", "หนึ่งรายการ", "qua"]

    /// What holds one of these words and tells of no arrival.
    static let harmless = [
        "收款音箱", "收款喇叭", "收款码", "收款台", "收款机", "收款处", "付款码", "付款处", "请付款", "未付款", "待付款", "请先付款", "not received",
        "not paid", "not yet paid", "nicht bezahlt", "unbezahlt", "nicht erhalten", "to be paid", "belum diterima",
        "belum dibayar",
    ]
}
