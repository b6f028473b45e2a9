/// Texts that may be said and texts that may not, by the voice that would say them.
enum TextTable {
    static let harmless: [(locale: String, text: String)] =
        [
            "三号桌叫人", "请到二楼", "您的外卖到了", "请稍等五分钟", "十分感谢", "请12号到3号窗口", "下午三点十分开会", "三单元二楼有快递", "请把两块蛋糕送到六号桌", "欢迎光临",
            "营业到晚上十点", "大家一块儿来", "三元桥店今天休息", "请在三角形标志处排队", "一百位顾客", "第100号请取餐", "今天2026年11月22日", "电话13800138000", "请付款",
            "请扫收款码",
            "微信十二点开会", "支付宝十二点到店", "一共三百人", "满分100分钟", "Wi-Fi 密码 12345678", "二维码在桌上", "元旦快乐", "五块毛巾", "加一份牛肉面",
            "房间 302 需要打扫", "请关门,谢谢!", "菜齐了,请慢用😊",
            "温度25度", "请到三角地带", "第2分店开业了", "八分饱",
        ].map { ("zh-CN", $0) }
        + ["三號枱叫人", "請到二樓", "多謝光臨", "外賣到咗", "請等五分鐘"].map { ("zh-HK", $0) }
        + ["三號桌需要服務", "請到二樓櫃檯", "謝謝光臨", "您的餐點好了"].map { ("zh-TW", $0) }
        + [
            "Table 12 needs service", "Order 305 is ready", "Please come to counter 2", "We close at 10 pm",
            "Table 5 try again",
            "Happy New Year 2027", "Room 12, please call the front desk", "The prepaid cards are sold out",
            "Cash desk 2 is open",
            "TABLE 5 TRY AGAIN", "Unpaid bills are on the desk", "Please wait 10 minutes", "Thank you, see you soon",
            "Call 555 0100 for help", "Seat 4A", "One moment please", "Two more coffees for table nine",
            "Allergy: nuts",
            "Delivery at door 3", "It's 20 degrees outside", "Please complete your payment",
            "The payment was not successful",
            "Your order is complete",
        ].flatMap { [("en-US", $0), ("en-IN", $0)] }
        + ["मेज़ 12 पर आइए", "कृपया दो मिनट रुकिए", "धन्यवाद", "ऑर्डर 45 तैयार है"].map { ("hi-IN", $0) }
        + [
            "Bàn 3 đông khách", "Phòng 2 đóng cửa", "Bàn 12 cần phục vụ", "Không đồng ý", "Xin chờ 5 phút",
            "Bàn 3 yên tĩnh", "Cảm ơn quý khách",
        ]
        .map { ("vi-VN", $0) }
        + ["โต๊ะ 12 เรียกพนักงาน", "กรุณารอ 5 นาที", "ขอบคุณครับ", "มีออเดอร์ใหม่หนึ่งรายการ"].map { ("th-TH", $0) }
        + [
            "Meja 12 memanggil pelayan", "Mohon tunggu 5 menit", "Terima kasih",
            "Silakan melakukan pembayaran di kasir",
        ]
        .map { ("id-ID", $0) }
        + ["Meja 12 perlukan pelayan", "Sila tunggu 5 minit", "Terima kasih, jumpa lagi", "Meja kosong"].map {
            ("ms-MY", $0)
        }
        + [
            "Tisch 12 braucht Hilfe", "Bitte zwei Minuten warten", "Nummer 45 ist fertig", "Einen Moment bitte",
            "Wir schließen um 20 Uhr", "Ein Kunde wartet", "Noch nicht bezahlte Ware bitte zur Kasse", "Kasse 3 öffnet",
            "Wir akzeptieren PayPal und Apple Pay", "Die Zahlung war nicht erfolgreich", "Ihr Taxi ist da",
            "Eine Bezahlung mit Karte ist möglich", "Bitte eine Nummer ziehen", "Tausende Artikel",
        ].map { ("de-DE", $0) }
        + [
            "3번 테이블입니다", "오늘은 쉽니다", "창가 자리를 원하시면 말씀해 주세요", "만 원하시면", "잠시만 기다려 주세요", "감사합니다", "주문하신 음식이 나왔습니다", "만원버스",
            "돈까스 왔습니다",
            "계산해 주세요", "열 명입니다", "신선한 원두", "손님이 들어왔습니다",
        ].map {
            ("ko-KR", $0)
        }

    static let amounts: [(locale: String, text: String)] =
        [
            "一百元", "100元", "１００元", "100 元", "一百 元", "一百·元", "一 百 元", "1.5元", "1,234.50元", "¥100", "￥100", "100￥",
            "$100",
            "人民币一百", "RMB 100", "rmb100", "100CNY", "壹佰圆", "贰拾元", "三块五", "五十块钱", "一百多块到了", "两毛", "三角五分", "五分钱", "十美元",
            "美元十",
            "①②元", "𝟏𝟎𝟎元", "١٠٠元", "१००元", "๑๐๐元", "1\u{200B}00\u{2060}元", "一百\u{FE0F}元", "金额250", "总计一百", "支付宝一百",
            "支付宝,100",
            "微信 88.8", "yi4bai3 yuan2", "一百塊", "壹萬圓", "5 dollars", "five dollars", "€20", "20€", "一百人民币整", "💵100",
            "100 (元)", "1️⃣0️⃣元", "元:100", "一百刀", "5k 元", "零点零一元", "三元,桌",
            "支付宝一百二十三点四五", "支付宝,一百二十三点四五", "支付宝一百点五", "微信八十八点八", "微信十二点五", "云闪付三千点一二", "微信支付一百",
            "Alipay 100", "we chat 100", "一共300", "退款一百", "充值100",
        ].map { ("zh-CN", $0) }
        + ["一百蚊人民幣", "100圓", "港幣一百", "HK$50"].map { ("zh-HK", $0) }
        + ["五百元", "NT$500", "伍佰圓整"].map { ("zh-TW", $0) }
        + [
            "fifty dollars", "50 dollars", "fiftydollars", "fifty   DOLLARS", "f i f t y dollars",
            "one hundred and fifty dollars", "$50",
            "50$", "USD 50", "50 usd", "50 US dollars", "ten cents", "twenty-five euros", "dollars: 20", "Rs. 500",
            "500 rupees",
            "5 lakh rupees", "100 quid", "fifty dоllars", "ｆｉｆｔｙ　ｄｏｌｌａｒｓ", "total 250", "amount: 12.50", "Venmo 50",
            "two hundred bucks", "fifty d\u{0336}ollars", "50 dol\u{200D}lars", "一百元",
        ].map { ("en-US", $0) }
        + ["सौ रुपये", "१०० रुपये", "₹500", "पाँच सौ रुपए", "रु 50", "दो सौ डॉलर"].map { ("hi-IN", $0) }
        + ["một trăm đồng", "100 đồng", "100.000₫", "năm mươi nghìn đồng", "mot tram dong", "50 dong"].map {
            ("vi-VN", $0)
        }
        + ["หนึ่งร้อยบาท", "100 บาท", "๑๐๐บาท", "฿100", "ห้าสิบ บาท"].map { ("th-TH", $0) }
        + ["seratus rupiah", "Rp 50.000", "Rp50000", "lima puluh ribu rupiah", "50 dolar"].map { ("id-ID", $0) }
        + ["lima puluh ringgit", "RM50", "RM 12.50", "dua puluh sen"].map { ("ms-MY", $0) }
        + [
            "fünfzig Euro", "einhundertdreiundzwanzig Euro", "zwölf Euro und fünfzig Cent", "50 Euro", "20 €",
            "ein Euro",
            "fuenfzig Euro", "zweihundert Schweizer Franken", "EUR 50", "fünfzigeuro", "eine Million US-Dollar",
            "zwo Euro", "zwölfeurofünfzig", "zwölf Eurofünfzig", "einen Euro", "anderthalb Euro", "tausende Euro",
        ].map { ("de-DE", $0) }
        + [
            "스무 원", "열 달러", "다섯 달러", "쉰 유로", "오\u{318D}천\u{318D}원",
            "오천원", "5000원", "만 오백원", "삼 달러", "₩500", "이만 오천 원입니다",
            "\u{110B}\u{1169}\u{110E}\u{1165}\u{11AB}\u{110B}\u{116F}\u{11AB}",
        ].map { ("ko-KR", $0) }

    static let arrivals: [(locale: String, text: String)] =
        [
            "支付宝到账", "到账了", "到 账", "到.账", "到\u{200B}账", "到帳", "到賬", "收款成功", "微信收款", "已收到货款", "客户转账", "轉帳完成", "王先生付款了",
            "支付成功", "进账",
            "dao4 zhang4", "daozhang", "shou1kuan3", "payment received", "Alipay payment received", "欢迎使用收款音箱到账", "到⁠账",
            "资金已到", "钱来了", "退款成功", "収款",
        ].map { ("zh-CN", $0) }
        + ["支付寶收到", "收到款項", "入數成功"].map { ("zh-HK", $0) } + ["款項入帳", "LINE Pay入帳"].map { ("zh-TW", $0) }
        + [
            "Payment received", "payment  RECEIVED", "p a y m e n t  r e c e i v e d", "r.e.c.e.i.v.e.d", "réceived",
            "rесеivеd",
            "ｒｅｃｅｉｖｅｄ", "𝐫𝐞𝐜𝐞𝐢𝐯𝐞𝐝", "re\u{200B}ceived", "rece\u{00AD}ived", "The customer has paid", "Money deposited",
            "Account credited",
            "Payment of the customer", "Your payment was successfully made", "The money is here",
            "Payment went through", "ⓟⓐⓘⓓ", "收款到账", "pаid", "payment\u{2007}from Ann", "r\u{0301}eceived",
        ].map { ("en-US", $0) }
        + ["भुगतान प्राप्त हुआ", "प्राप्त", "पैसे मिले", "payment received"].map { ("hi-IN", $0) }
        + ["đã nhận tiền", "da nhan tien", "nhận được tiền", "Đã Nhận"].map { ("vi-VN", $0) }
        + ["รับเงินแล้ว", "ได้รับเงิน", "เงิน เข้า"].map { ("th-TH", $0) }
        + ["Pembayaran diterima", "Uang masuk", "DITERIMA"].map { ("id-ID", $0) }
        + ["Bayaran diterima", "Duit masuk"].map { ("ms-MY", $0) }
        + [
            "Zahlung erhalten", "Geld eingegangen", "Der Kunde hat bezahlt", "ZAHLUNGSEINGANG", "Betrag gutgeschrieben",
            "Zahlung ist da", "Das Geld ist auf dem Konto", "Geld ist angekommen", "Die Bezahlung war erfolgreich",
            "Transaktion erfolgreich", "Anna überwies", "Rechnung beglichen", "Gutschrift", "Eben kassiert",
        ]
        .map {
            ("de-DE", $0)
        }
        + [
            "결제 완료", "입금되었습니다", "송금 받았습니다", "돈이 들어왔습니다", "돈 왔습니다", "결제하셨습니다", "결제가 됐습니다", "카드 승인되었습니다", "승인 완료",
            "결재 완료", "지불 완료", "계산 완료", "決濟 完了", "결\u{318D}제 완료",
        ].map { ("ko-KR", $0) }
}
