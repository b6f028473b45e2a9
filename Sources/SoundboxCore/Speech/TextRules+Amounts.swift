/// Amounts in a text: a number beside a currency, in either order, whatever stands between them but words.
extension TextRules {
    /// The words of the first amount; `nil` when there is none.
    func amount(in text: FoldedText) -> String? {
        let isNumber = numberPlaces(in: text)
        for start in text.units.indices {
            for end in currencyEnds(in: text, at: start, isNumber) {
                if let first = number(before: start, in: text, isNumber) { return text.words(first..<end.place) }
                if end.mayLead || isAtStart(start, in: text), let last = number(after: end.place, in: text, isNumber) {
                    return text.words(start..<last)
                }
            }
            if let words = cents(in: text, at: start, isNumber) ?? bareAmount(in: text, at: start, isNumber) {
                return words
            }
        }
        return nil
    }

    // MARK: - Numbers

    /// Whether any word of a text is a number's.
    func hasNumber(_ text: String) -> Bool { numberPlaces(in: FoldedText(text)).contains(true) }

    /// Whether the last word of a text is a number's, as far as blanks and not marks stand behind it.
    func endsWithNumber(_ text: String) -> Bool {
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { numberPlaces(in: FoldedText(String(text[...$0]))).last == true } ?? false
    }

    private func numberPlaces(in text: FoldedText) -> [Bool] {
        var places = text.units.map { unit in
            unit.kind == .digit || unit.kind == .letter(.han) && NumberWords.han.contains(unit.plain)
        }
        for start in text.units.indices where !places[start] {
            guard case .letter = text.units[start].kind else { continue }
            var search = search
            // fiftydollars, twentyfive
            search.startsAnywhere = start > 0 && places[start - 1]
            for word in numbers.words {
                guard let end = text.end(of: word, at: start, search, endsAnywhere: true) else { continue }
                let isWhole = end == text.units.count || !text.units[end].isSpacedLetter || places[end]
                guard isWhole || !word.units[0].isSpacedLetter || beginsWord(in: text, at: end, search) else {
                    continue
                }
                for place in start..<end { places[place] = true }
            }
        }
        return places
    }

    /// Whether a currency or another number goes on right where a number's letters end.
    private func beginsWord(in text: FoldedText, at place: Int, _ search: FoldedText.Search) -> Bool {
        var search = search
        search.startsAnywhere = true
        return currencies.contains { $0.word.units.count > 3 && end(of: $0.word, in: text, at: place, search) != nil }
            || numbers.words.contains {
                $0.units.count > 2 && text.end(of: $0, at: place, search, endsAnywhere: true) != nil
            }
    }

    /// Where the number begins that ends before `place`.
    private func number(before place: Int, in text: FoldedText, _ isNumber: [Bool]) -> Int? {
        guard var first = skip(from: place - 1, by: -1, in: text), isNumber[first] else { return nil }
        while first > 0, isNumber[first - 1] || text.units[first - 1].kind == .separator, first - 1 >= 0 {
            guard isNumber[first - 1] || first > 1 && isNumber[first - 2] else { break }
            first -= 1
        }
        return first
    }

    /// Where the number ends that begins behind `place`.
    private func number(after place: Int, in text: FoldedText, _ isNumber: [Bool]) -> Int? {
        guard var last = skip(from: place, by: 1, in: text), isNumber[last] else { return nil }
        while last + 1 < text.units.count {
            let next = last + 1
            let joins = text.units[next].kind == .separator && next + 1 < text.units.count && isNumber[next + 1]
            guard isNumber[next] || joins else { break }
            last = next
        }
        return last + 1
    }

    /// Past separators, and words that change nothing: 一百多元, 100 US dollars, RM about 50.
    private func skip(from place: Int, by step: Int, in text: FoldedText) -> Int? {
        var place = place
        while text.units.indices.contains(place) {
            if text.units[place].kind == .separator {
                place += step
            } else if let next = pastFiller(from: place, by: step, in: text) {
                place = next
            } else {
                return place
            }
        }
        return nil
    }

    private func pastFiller(from place: Int, by step: Int, in text: FoldedText) -> Int? {
        for filler in Self.fillers {
            let start = step > 0 ? place : place - filler.units.count + 1
            guard start >= 0, let end = text.end(of: filler, at: start, search) else { continue }
            if step > 0 { return end }
            if end == place + 1 { return start - 1 }
        }
        return nil
    }

    private static let fillers = [
        "多", "余", "来", "几", "整", "个", "大", "半", "是", "为", "共", "约", "and", "of", "in", "is", "whole", "full", "us",
        "american", "hong kong",
        "hk", "taiwan", "canadian", "australian", "singapore", "chinese", "about", "exactly", "point", "half", "a", "k",
        "grand", "支付", "pay",
    ].compactMap(FoldedWord.init)

    // MARK: - Currencies

    private struct End {
        var place: Int
        var mayLead: Bool
    }

    private func currencyEnds(in text: FoldedText, at start: Int, _ isNumber: [Bool]) -> [End] {
        if text.units[start].kind == .currencySign { return [End(place: start + 1, mayLead: true)] }
        var search = search
        search.startsAnywhere = start > 0 && isNumber[start - 1]
        var ends: [End] = []
        for currency in currencies {
            guard let end = end(of: currency.word, in: text, at: start, search) else { continue }
            let isOther = currency.unlessBefore.contains { next in
                let isParted =
                    next.units[0].isSpacedLetter && end < text.units.count && text.units[end].kind == .separator
                let place = isParted ? end + 1 : end
                return text.end(of: next, at: place, search) != nil
            }
            if !isOther { ends.append(End(place: end, mayLead: currency.mayLead)) }
        }
        if let end = codeEnd(in: text, at: start) { ends.append(End(place: end, mayLead: true)) }
        return ends
    }

    /// Where a currency's word ends; a number may go on right behind a longer one, as in zwölfeurofünfzig.
    private func end(of currency: FoldedWord, in text: FoldedText, at start: Int, _ search: FoldedText.Search) -> Int? {
        if let end = text.end(of: currency, at: start, search) { return end }
        guard currency.units.count > 3, let end = text.end(of: currency, at: start, search, endsAnywhere: true) else {
            return nil
        }
        var search = search
        search.startsAnywhere = true
        let continues = numbers.words.contains {
            $0.units.count > 2 && text.end(of: $0, at: end, search, endsAnywhere: true) != nil
        }
        return continues ? end : nil
    }

    /// A code of ISO 4217 in capitals.
    private func codeEnd(in text: FoldedText, at start: Int) -> Int? {
        let end = start + 3
        guard end <= text.units.count, text.units[start..<end].allSatisfy({ $0.isSpacedLetter && $0.isCapital }),
            start == 0 || !text.units[start - 1].isSpacedLetter,
            end == text.units.count || !text.units[end].isSpacedLetter
        else { return nil }
        let code = text.units[start..<end].map(\.plain).joined().uppercased()
        return Currency(code) != nil && !CurrencyWord.codesThatAreWords.contains(code) ? end : nil
    }

    private func isAtStart(_ place: Int, in text: FoldedText) -> Bool {
        place == 0 || text.units[place - 1].kind == .separator
    }

    /// 分 is a cent, a minute, a point and a branch. It is a cent at the end of a clause, unless a clock's hour or an
    /// ordinal stands before it; and behind 角 and 元.
    private func cents(in text: FoldedText, at place: Int, _ isNumber: [Bool]) -> String? {
        guard text.units[place].plain == "分", let first = number(before: place, in: text, isNumber) else { return nil }
        let isLast = place + 1 == text.units.count || text.units[place + 1].kind == .separator
        let before = first > 0 ? text.units[first - 1].plain : ""
        let followsUnit = ["元", "角", "块", "毛"].contains(before)
        guard followsUnit || isLast && !["点", "时", "第", "得", "打", "加", "扣"].contains(before) else { return nil }
        // 十分 as very much.
        if !followsUnit, place - first == 1, text.units[first].plain == "十" { return nil }
        return text.words(first..<place + 1)
    }

    // MARK: - Numbers without a currency

    /// A channel or a sum, and a number behind it: 支付宝一百, total 250.
    private func bareAmount(in text: FoldedText, at start: Int, _ isNumber: [Bool]) -> String? {
        for (words, isChannel) in [(channels, true), (Self.sums, false)] {
            for word in words {
                guard let end = text.end(of: word, at: start, search),
                    let last = number(after: end, in: text, isNumber),
                    let first = skip(from: end, by: 1, in: text)
                else { continue }
                let number = text.units[first..<last]
                // PayPal und Apple Pay
                guard !Self.joints.contains(where: { text.end(of: $0, at: first, search) == last }) else { continue }
                guard !isCounted(at: last, in: text, isNumber) else { continue }
                if isChannel ? number.count > 1 : isLarge(first..<last, in: text) { return text.words(start..<last) }
            }
        }
        return nil
    }

    private func isLarge(_ range: Range<Int>, in text: FoldedText) -> Bool {
        text.units[range].count { $0.kind == .digit } > 2
            || text.units[range].contains { NumberWords.largeHan.contains($0.plain) }
            || range.contains { place in numbers.largeWords.contains { text.end(of: $0, at: place, search) != nil } }
    }

    /// What is counted or numbered is no money: 一号窗口. 点 is an hour, unless decimals follow it.
    private func isCounted(at place: Int, in text: FoldedText, _ isNumber: [Bool]) -> Bool {
        guard text.units.indices.contains(place) else { return false }
        if text.units[place].plain == "点" { return number(after: place + 1, in: text, isNumber) == nil }
        return ["号", "楼", "桌", "位", "层", "人", "个", "名", "杯", "份", "月", "年", "日", "次", "台"].contains(
            text.units[place].plain)
    }

    /// What stands in numbers and is none by itself.
    private static let joints = ["und"].compactMap(FoldedWord.init)

    private static let sums = [
        "总计", "合计", "共计", "一共", "共", "退款", "充值", "红包", "收入", "金额", "价格", "应付", "实付", "总额", "收您", "找您", "余额", "total",
        "amount", "sum", "price", "balance",
        "bill",
        "summe", "betrag", "gesamt", "gesamtbetrag", "preis", "rechnung", "합계", "총액", "총계", "금액", "가격", "jumlah",
        "tổng cộng", "tổng", "รวม", "ยอด", "कुल", "राशि",
    ].compactMap(FoldedWord.init)
}
