/// How amounts are read, by locale: what a speaker of the language expects, written down by hand and not taken from a
/// voice or from ICU. Where speakers differ (兩萬 or 二萬, "nol" or "kosong"), the voice decides and the amount is not here.
enum ReadingTables {
    struct Row: Sendable, CustomStringConvertible {
        var amount: String
        /// `nil`: the number alone.
        var currency: String?
        var reading: String

        init(_ amount: String, _ reading: String, in currency: String? = nil) {
            self.amount = amount
            self.currency = currency
            self.reading = reading
        }

        var description: String { currency.map { "\(amount) \($0)" } ?? amount }
    }

    static let byLocale: [String: [Row]] = [
        "zh-CN": mandarin, "zh-HK": traditionalChinese, "zh-TW": traditionalChinese, "en-US": americanEnglish,
        "en-IN": indianEnglish, "hi-IN": hindi, "id-ID": indonesian, "ms-MY": malay, "vi-VN": vietnamese,
        "th-TH": thai, "ko-KR": korean, "de-DE": german,
    ]

    private static let mandarin = [
        Row("1005", "一千零五元", in: "CNY"), Row("1010", "一千零一十元", in: "CNY"), Row("10500", "一万零五百元", in: "CNY"),
        Row("107000", "十万七千元", in: "CNY"), Row("20000", "二万元", in: "CNY"), Row("100010000", "一亿零一万元", in: "CNY"),
        Row("12.00", "十二元", in: "CNY"), Row("12.50", "十二点五元", in: "CNY"), Row("0.06", "零点零六元", in: "CNY"),
        Row("0.10", "零点一元", in: "CNY"), Row("222.05", "二百二十二点零五元", in: "CNY"), Row("123.45", "一百二十三点四五"),
        Row("0", "零"), Row("10", "十"), Row("110", "一百一十"), Row("100000000", "一亿"),
        Row("1000000000000000", "一千万亿"),
    ]

    private static let traditionalChinese = [
        Row("0", "零"), Row("10", "十"), Row("105", "一百零五"), Row("110", "一百一十"), Row("1005", "一千零五"),
        Row("1010", "一千零一十"), Row("10500", "一萬零五百"), Row("107000", "十萬七千"), Row("100010000", "一億零一萬"),
        Row("12.00", "十二"), Row("12.50", "十二點五"), Row("0.06", "零點零六"), Row("0.10", "零點一"),
        Row("333.05", "三百三十三點零五"),
    ]

    private static let americanEnglish = [
        Row("0", "zero"), Row("15", "fifteen"), Row("21", "twenty-one"), Row("1005", "one thousand five"),
        Row("1010", "one thousand ten"), Row("10500", "ten thousand five hundred"),
        Row("107000", "one hundred seven thousand"), Row("100010000", "one hundred million ten thousand"),
        Row("12.00", "twelve"), Row("12.50", "twelve point five"), Row("0.06", "zero point zero six"),
        Row("0.10", "zero point one"), Row("222.05", "two hundred twenty-two point zero five"),
        Row("1", "one dollar", in: "USD"), Row("2", "two dollars", in: "USD"), Row("0", "zero dollars", in: "USD"),
    ]

    private static let indianEnglish = [
        Row("0", "zero"), Row("1005", "one thousand five"), Row("10500", "ten thousand five hundred"),
        Row("100000", "one lakh"), Row("107000", "one lakh seven thousand"), Row("1000000", "ten lakh"),
        Row("10000000", "one crore"), Row("100010000", "ten crore ten thousand"), Row("12.00", "twelve"),
        Row("12.50", "twelve point five"), Row("0.06", "zero point zero six"),
        Row("222.05", "two hundred twenty-two point zero five"),
        Row("12345678.9", "one crore twenty-three lakh forty-five thousand six hundred seventy-eight point nine"),
        Row("1", "one rupee", in: "INR"), Row("2", "two rupees", in: "INR"),
    ]

    private static let hindi = [
        Row("0", "शून्य"), Row("1", "एक"), Row("10", "दस"), Row("21", "इक्कीस"), Row("100", "एक सौ"),
        Row("1010", "एक हज़ार दस"), Row("107000", "एक लाख सात हज़ार"), Row("1000000", "दस लाख"),
        Row("100010000", "दस करोड़ दस हज़ार"), Row("12.00", "बारह"), Row("0.10", "शून्य दशमलव एक"),
        Row("3.07", "तीन दशमलव शून्य सात"),
    ]

    private static let indonesian = [
        Row("10", "sepuluh"), Row("11", "sebelas"), Row("21", "dua puluh satu"), Row("100", "seratus"),
        Row("1005", "seribu lima"), Row("1010", "seribu sepuluh"), Row("10500", "sepuluh ribu lima ratus"),
        Row("107000", "seratus tujuh ribu"), Row("1000000", "satu juta"), Row("12.00", "dua belas"),
        Row("100010000", "seratus juta sepuluh ribu"), Row("25000", "dua puluh lima ribu rupiah", in: "IDR"),
    ]

    private static let malay = [
        Row("10", "sepuluh"), Row("11", "sebelas"), Row("18", "lapan belas"), Row("21", "dua puluh satu"),
        Row("1005", "seribu lima"), Row("1010", "seribu sepuluh"), Row("10500", "sepuluh ribu lima ratus"),
        Row("107000", "seratus tujuh ribu"), Row("12.00", "dua belas"), Row("12.50", "dua belas perpuluhan lima"),
        Row("100010000", "seratus juta sepuluh ribu"), Row("5", "lima ringgit", in: "MYR"),
    ]

    private static let vietnamese = [
        Row("0", "không"), Row("10", "mười"), Row("15", "mười lăm"), Row("21", "hai mươi mốt"),
        Row("1010", "một nghìn không trăm mười"), Row("10500", "mười nghìn năm trăm"),
        Row("20000", "hai mươi nghìn"), Row("1000000", "một triệu"), Row("12.00", "mười hai"),
        Row("12.50", "mười hai phẩy năm"), Row("0.06", "không phẩy không sáu"),
        Row("50000", "năm mươi nghìn đồng", in: "VND"),
    ]

    private static let korean = [
        Row("0", "영"), Row("10", "십"), Row("16", "십육"), Row("110", "백십"), Row("1005", "천오"), Row("1010", "천십"),
        Row("10000", "만"), Row("10500", "만 오백"), Row("20000", "이만"), Row("107000", "십만 칠천"),
        Row("100000000", "일억"), Row("110000000", "일억 천만"),
        Row("100010000", "일억 일만"), Row("100010500", "일억 일만 오백"), Row("1000000010000", "일조 일만"),
        Row("1000100010000", "일조 일억 일만"), Row("100020000", "일억 이만"), Row("100001000", "일억 천"),
        Row("1000000000000", "일조"), Row("12.00", "십이"),
        Row("12.05", "십이점영오"), Row("0.10", "영점일"), Row("345", "삼백사십오원", in: "KRW"),
        Row("25000", "이만 오천원", in: "KRW"),
    ]

    private static let german = [
        Row("0", "null"), Row("1", "eins"), Row("16", "sechzehn"), Row("17", "siebzehn"), Row("21", "einundzwanzig"),
        Row("30", "dreißig"), Row("101", "einhunderteins"), Row("1005", "eintausendfünf"),
        Row("10500", "zehntausendfünfhundert"), Row("107000", "einhundertsiebentausend"),
        Row("21000", "einundzwanzigtausend"), Row("1000001", "eine Million eins"),
        Row("100010000", "einhundert Millionen zehntausend"), Row("12.00", "zwölf"), Row("12.50", "zwölf Komma fünf"),
        Row("1.01", "eins Komma null eins"), Row("1", "ein Euro", in: "EUR"),
        Row("101", "einhundertein Euro", in: "EUR"),
        Row("1", "eine türkische Lira", in: "TRY"), Row("201", "zweihunderteine indische Rupien", in: "INR"),
        Row("1.5", "eins Komma fünf Yuan", in: "CNY"), Row("2", "zwei Pfund", in: "GBP"),
    ]

    private static let thai = [
        Row("0", "ศูนย์"), Row("10", "สิบ"), Row("11", "สิบเอ็ด"), Row("20", "ยี่สิบ"), Row("21", "ยี่สิบเอ็ด"),
        Row("105", "หนึ่งร้อยห้า"), Row("1010", "หนึ่งพันสิบ"), Row("10500", "หนึ่งหมื่นห้าร้อย"),
        Row("107000", "หนึ่งแสนเจ็ดพัน"), Row("1000000", "หนึ่งล้าน"), Row("1000000000000", "หนึ่งล้านล้าน"),
        Row("12.00", "สิบสอง"), Row("12.50", "สิบสองจุดห้า"), Row("0.06", "ศูนย์จุดศูนย์หก"), Row("5", "ห้าบาท", in: "THB"),
    ]
}
