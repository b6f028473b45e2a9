import SoundboxCore
import SoundboxSpeech

/// A Mandarin voice as these tests need it. The one that ships has tests of its own, beside its recordings.
enum Mandarin {
    static func language() throws -> Language {
        Language(
            locale: "zh-CN", name: "普通话", wordsAreSpaced: false, numbers: try NumberRules(parsing: rules),
            cardinalRuleSet: "%spellout-cardinal", countingRuleSet: "%spellout-counting", subunitZero: "零",
            units: [
                "CNY": CurrencyWords(
                    unit: CountedWord("元"),
                    subunits: [.init(digits: 1, word: CountedWord("角")), .init(digits: 1, word: CountedWord("分"))]),
                "USD": CurrencyWords(unit: CountedWord("美元")),
            ],
            otherCurrency: "其他币种,", channels: ["alipay": "支付宝", "wechat": "微信"],
            sentences: [
                .payment: "{channel}到账,{amount}", .paymentWithoutChannel: "收款到账,{amount}", .refund: "退款,{amount}",
                .unreadable: "{channel}到账一笔", .unreadableWithoutChannel: "到账一笔", .unreadableRefund: "退款一笔",
                .lateSummary: "离线期间收款{count}笔,共{total}", .lateSummaryWithoutTotal: "离线期间收款{count}笔",
                .today: "今日收款{count}笔,总计{total}", .todayWithoutTotal: "今日收款{count}笔",
                .todayRefunds: "退款{count}笔,共{total}",
                .replay: "重复播报",
            ],
            prompts: [
                .greeting: "欢迎使用收款音箱", .networkLost: "网络已断开", .networkRestored: "网络已连接", .notProvisioned: "设备未激活",
                .setupFault: "设置有误", .noPaymentYet: "暂无收款",
            ],
            pauses: [",": .milliseconds(160)])
    }

    /// Single words, and a few phrases that are longer.
    static func phrases() -> [String] {
        "零一二三四五六七八九两十百千万亿点元角分笔共".map { String($0) } + [
            "二十三", "美元", "支付宝", "微信", "支付宝到账", "微信到账", "收款到账", "到账", "退款", "到账一笔", "退款一笔", "离线期间收款", "今日收款", "总计",
            "其他币种", "重复播报", "欢迎使用收款音箱", "网络已断开", "网络已连接", "设备未激活", "设置有误", "暂无收款",
        ]
    }

    private static let rules = """
        %spellout-cardinal:
        x.x: <<点>>>;
        0: 零; 一; 二; 三; 四; 五; 六; 七; 八; 九;
        10: 十[>>];
        20: <<十[>>];
        100: <<百[>%%after-hundreds>];
        %spellout-counting:
        0: =%spellout-cardinal=;
        2: 两;
        3: =%spellout-cardinal=;
        %%after-hundreds:
        1: 零=%%inner=;
        10: =%%inner=;
        %%inner:
        0: =%spellout-cardinal=;
        10: 一十[>>];
        20: =%spellout-cardinal=;
        """
}
