/// A word that makes a number beside it an amount.
struct CurrencyWord: Sendable {
    let word: FoldedWord
    /// What turns it into another word, right behind it: 三元桥, đồng ý.
    var unlessBefore: [FoldedWord] = []
    /// Whether the number may stand behind it, too: RM 50. A short Chinese one stands too often in other words.
    var mayLead = true

    static func all(_ languages: [Language]) -> [CurrencyWord] {
        let own = languages.flatMap(\.units.values).flatMap { words in
            ([words.unit] + words.subunits.map(\.word)).flatMap { [$0.one, $0.other] }
        }
        // 分 has a rule of its own.
        let special = Set(exceptions.map(\.word) + ["分"])
        var words = (own + builtIn).filter { !special.contains($0) }
        words = Array(Set(words))
        return words.compactMap { text in
            FoldedWord(text).map { word in
                // A single character of an unknown unit may be part of any other word.
                CurrencyWord(word: word, mayLead: word.units.count > 1)
            }
        }
            + exceptions.compactMap { entry in
                let others = entry.unlessBefore.split(separator: " ").map(String.init)
                return FoldedWord(entry.word).map {
                    CurrencyWord(
                        word: $0, unlessBefore: others.compactMap(FoldedWord.init), mayLead: entry.mayLead)
                }
            }
    }

    private static let exceptions: [(word: String, unlessBefore: String, mayLead: Bool)] = [
        ("元", "旦 月 宵 素 桥 桌 形 盘 圈 满 环", false),
        ("块", "儿 蛋 糕 披 萨 面 肉 豆 玻 巧 饼 板 布 木 石 砖 地 电 香 手 表 冰 毛 牛 鸡 鱼 来 去 走 吃 玩", false),
        ("角", "形 星 落 度 铁 架 巾 亭 楼 恋 钢 地 区 尺 裤 洲", false), ("毛", "巾 衣 孩 病 豆 笔 肚 不", false),
        ("刀", "叉 具 片 切 削", false), ("蚊", "子 香 帐", false),
        // 원래, 원하다: not at all money. The number stands before it, as in 만 원.
        ("원", "하 해 했 합 할 한 래 인 칙 문 본 피 두 목 형 장 버스", false),
        ("đồng", "ý hồ phục thời nghiệp bộ đội nhất chí hành đều cảm", true), ("sen", "gaji", true),
    ]

    private static let builtIn = [
        "美元", "美金", "欧元", "日元", "韩元", "港元", "港币", "台币", "新台币", "人民币", "英镑", "澳元", "加元", "泰铢", "卢比", "卢布", "越南盾", "印尼盾",
        "法郎", "块钱", "元钱", "毛钱", "分钱", "角钱", "马币", "令吉", "毫子", "大洋", "大元",
        "dollar", "dollars", "cent", "cents", "buck", "bucks", "yuan", "renminbi", "rmb", "kuai", "jiao", "euro",
        "euros",
        "rupee", "rupees", "rupiah", "ringgit", "baht", "satang", "dong", "won", "yen", "paise", "paisa", "quid",
        "peso", "franken", "rappen", "달러", "위안", "유로",
        "pesos", "dolar", "sen", "xu", "đô la", "đô", "nhân dân tệ", "ơ rô", "perak", "rp", "rm", "rs", "nt", "hk",
        "pataca",
        "cny", "usd", "eur", "gbp", "jpy", "hkd", "twd", "myr", "thb", "vnd", "idr", "inr", "krw", "sgd", "aud", "cad",
        "รูปี", "บาท", "สตางค์", "ดอลลาร์", "ดอลล่าร์", "ยูโร", "เหรียญ", "เยน", "หยวน",
        "रुपये", "रुपया", "रुपए", "रूपये", "रूपए", "रुपयों", "पैसे", "पैसा", "डॉलर", "यूरो", "युआन", "रु", "येन",
    ]

    /// Channels that every shop knows, in Latin letters, whatever the voice calls them.
    static let channels = [
        "alipay", "ali pay", "wechat", "we chat", "weixin", "wei xin", "zhifubao", "zhi fu bao", "unionpay",
        "apple pay",
        "google pay",
    ]

    /// Codes of ISO 4217 that are English words, too: TABLE 5 TRY AGAIN.
    static let codesThatAreWords: Set<String> = [
        "ALL", "TOP", "TRY", "CUP", "MAD", "SOS", "PEN", "RON", "GEL", "BAM", "ERN", "LAK", "MOP", "ANG", "BAN",
    ]
}
