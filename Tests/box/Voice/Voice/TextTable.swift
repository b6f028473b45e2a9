/// Texts that may be said and texts that may not, by who wrote them and the voice that would say them.
enum TextTable {
    typealias Texts = [(locale: String, text: String)]

    static let harmlessOfPayers: Texts = texts([
        "zh-CN": ["谢谢老板", "少放辣", "不要香菜,谢谢!", "祝生意兴隆😊"],
        "zh-HK": ["多謝老闆", "走蔥"], "zh-TW": ["謝謝老闆", "不要香菜"],
        "en-US": ["Thanks a lot", "No onions please", "Great coffee!"],
        "en-IN": ["Thank you, sir", "Less spicy please"],
        "hi-IN": ["धन्यवाद", "शुक्रिया भैया"], "vi-VN": ["Cảm ơn shop", "Ít cay nhé"],
        "th-TH": ["ขอบคุณครับ", "ไม่เผ็ดนะ"], "id-ID": ["Terima kasih", "Jangan pedas ya"],
        "ms-MY": ["Terima kasih", "Kurang manis"], "de-DE": ["Danke schön", "Bitte mit Senf"],
        "ko-KR": ["감사합니다", "맛있게 먹었어요"],
    ])

    static let harmlessOfProviders: Texts = texts([
        "zh-CN": [
            "欢迎光临", "三号桌叫人", "您的外卖到了", "请到三号窗口", "请稍等五分钟", "请到二楼", "请12号到3号窗口", "下午三点十五开会", "营业到晚上十点", "元旦快乐", "角落里有人",
            "红包封在柜台", "请付款", "转账请扫码", "请转到二号窗口",
            "电话13800138000", "今天2026年11月22日", "菜齐了,请慢用😊",
        ],
        "zh-HK": ["三號枱叫人", "外賣到咗", "請等五分鐘"], "zh-TW": ["三號桌需要服務", "您的餐點好了"],
        "en-US": [
            "Table 12 please", "Your order 45 is ready", "Please come to the center at 10", "TABLE 5 ALREADY WAITS",
            "Room 12, please call the front desk", "Happy New Year 2027", "Sixteen recent guests have won",
        ],
        "en-IN": ["Table 12 needs service", "We close at 10 pm"], "hi-IN": ["मेज़ 12 पर आइए", "ऑर्डर 45 तैयार है"],
        "vi-VN": ["Bàn 12 cần phục vụ", "Bàn 3 đông khách", "Phòng 2 đóng cửa", "Xin chờ 5 phút"],
        "th-TH": ["โต๊ะ 12 เรียกพนักงาน", "กรุณารอ 5 นาที"], "id-ID": ["Meja 12 memanggil pelayan", "Mohon tunggu 5 menit"],
        "ms-MY": ["Meja 12 perlukan pelayan", "Sila tunggu 5 minit"],
        "de-DE": [
            "Tisch 12 braucht Hilfe", "Bitte zwei Minuten warten", "Die Speisekarte bitte",
            "Das Kaufhauscenter ist offen",
        ],
        "ko-KR": ["3번 테이블입니다", "잠시만 기다려 주세요", "주문하신 음식이 나왔습니다"],
    ])

    /// What neither may say.
    static let barred: Texts = texts([
        "zh-CN": [
            "支付宝到账一百元", "到账了", "到 账", "到.账", "到💰账", "到\u{200B}账", "到帳", "到賬", "收款成功", "微信收款", "退款成功", "収款", "alipay",
            "WeChat Pay", "支付寶", "⽀付宝", "一百元", "100元", "１００元", "一百·元", "壹佰圆", "贰拾圓", "1️⃣0️⃣元", "①②元", "𝟏𝟎𝟎元", "١٠٠元",
            "一百多元", "元:100", "三角五分", "十美元", "¥", "￥100", "💵100", "100CNY", "50 usd", "RMB 100", "三块五", "总计一百", "会员充值",
            "半元", "五块半元", "进账", "進賬了", "入账", "入賬", "转来", "轉來五百", "已付", "顧客已付", "红包五百", "五百 紅包", "五百大洋", "人民币",
            "payment received", "RMB", "credited",
            "重复播报", "重複播報", "已取消", "已经好了,已 取 消", "存储故障", "存儲故障", "登录验证码 123456", "登錄驗證碼", "其他币种",
        ],
        "zh-HK": ["收到款項", "轉數快", "港幣一百", "人民幣", "一百元", "儲存故障", "已經取消"], "zh-TW": ["款項入帳", "LINE Pay入帳", "悠遊卡", "伍佰元整"],
        "en-US": [
            "Payment received", "p a y m e n t", "r.e.c.e.i.v.e.d", "réceived", "rесеivеd", "ｒｅｃｅｉｖｅｄ", "𝐫𝐞𝐜𝐞𝐢𝐯𝐞𝐝",
            "re\u{200B}ceived",
            "rece\u{00AD}ived", "ⓡⓔⓒⓔⓘⓥⓔⓓ", "Venmo", "cash app", "fifty dollars", "fiftydollars",
            "f i f t y  d o l l a r s", "50 dol\u{200D}lars",
            "five cents", "twohundredyuan here", "fivehundredeuroshere", "$", "20€", "USD 50", "500 won", "total 250",
            "Refund", "Canceled",
            "Storage fault", "Your sign-in code is 123456", "Repeated announcement",
        ],
        "hi-IN": ["पाँच सौ रुपए मिले", "खाते में पांच सौ रूपये जमा", "भुगतान प्राप्त हुआ", "सौ रुपये", "१०० रुपये", "₹500", "दो सौ डॉलर", "पेटीएम"],
        "vi-VN": ["đã nhận tiền", "da nhan tien", "một trăm đồng", "mot tram dong", "5 đô la", "MoMo"],
        "th-TH": ["ได้รับเงิน", "ห้าสิบ บาท", "฿100", "๑๐๐บาท", "พร้อมเพย์", "50 ดอลลาร์"],
        "id-ID": ["Pembayaran diterima", "DITERIMA", "Rp 50.000", "seratus rupiah", "GoPay", "50 dolar"],
        "ms-MY": ["Bayaran diterima", "RM50", "dua puluh sen", "DuitNow"],
        "de-DE": [
            "Zahlung erhalten", "ZAHLUNGSEINGANG", "fünfzig Euro", "500 Euros sind da", "fuenfzigeuro",
            "zwölfeurofünfzig", "Ueberweisung",
            "Abgebrochen",
        ],
        "ko-KR": [
            "결제 완료", "결\u{318D}제", "오천원", "만 오백원", "5 달러", "카카오페이", "취소되었습니다",
            "\u{110B}\u{1169}\u{110E}\u{1165}\u{11AB}\u{110B}\u{116F}\u{11AB}",
        ],
    ])

    /// What payers may not say, beside all that providers may not.
    static let barredFromPayers: Texts = texts([
        "zh-CN": [
            "转你五百了", "五百转过来了", "五.百", "五 百", "伍佰", "5", "５", "⑤", "㊄", "Ⅷ", "½", "५", "5️⃣", "🔟", "💯", "⚄", "两", "〥", "⼗",
            "元", "留言 五", "zhuan ni wubai le", "five hundred", "오백", "ห้าร้อย", "पाँच सौ", "пять",
            "有一条消息", "网络已断开", "網絡已斷開", "欢迎使用收款音箱", "已静音",
        ],
        "en-US": [
            "five hundred has arrived", "F-I-V-E", "fivehundred", "no fifty", "hundreds of thanks", "see you today",
            "谢谢",
            "Muted",
        ],
        "de-DE": ["500 sind da", "fünfhundert sind da", "fuenfhundert", "hunderte"],
        "id-ID": ["lima ratus ribu sudah masuk", "limaratus", "sudah masuk XXV", "XXXIX jt"],
        "vi-VN": ["năm trăm nghìn đã vào", "nam tram nghin da vao"],
        "hi-IN": ["पाँच सौ मिल गए", "पांच सौ मिल गए"], "ko-KR": ["오만 보냈어요", "딱 백 보냈어요", "五萬 보냈어요"],
        "th-TH": ["ห้าร้อยเข้าแล้ว"], "ms-MY": ["lima ratus dah masuk"],
    ])

    private static func texts(_ table: KeyValuePairs<String, [String]>) -> Texts {
        table.flatMap { locale, texts in texts.map { (locale, $0) } }
    }
}
