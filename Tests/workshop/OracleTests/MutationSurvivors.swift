/// Mutants that read numbers otherwise than the voice, and rightly: one unit counts more of itself (a thousand million),
/// or a form that only sounds better is gone (二百 for 兩百, mười năm for mười lăm, eins for ein). Each with the first number that
/// differs.
enum Survivors {
    static let all: Set<String> = Set(list.split(separator: "\n").map(String.init))

    private static let list = """
        drop rule 100: <%%before-place<百[>%%after-hundreds>];: 200 两百 -> 二百
        drop rule 100000000/100000000: <%%before-place<亿[>%%liang-after-hundred-millions>];: 100000000 一亿 -> 一万万
        drop =%%with-liang= of 0: =%%with-liang=;: 100 一百 -> 百
        drop rule 2: 两;: 200 两百 -> 二百
        drop rule 100: =%%liang-inner=;: 1100 一千一百 -> 一千零一百
        drop rule 1000: =%%liang-inner=;: 11000 一万一千 -> 一万零一千
        drop rule 10000000: =%%liang-inner=;: 110000000 一亿一千万 -> 一亿零一千万
        drop rule 10: 一十[>>];: 1010 一千零一十 -> 一千零十
        drop rule 1000000000000/1000000000000: <<조[ >%%after>];: 1000000000000 일조 -> 만억
        drop << of 1000000000000000: << kuadrilion[ >>];: 1000000000000000 satu kuadrilion -> kuadrilion
        drop << of 1000000000000000: << kuadriliun[ >>];: 1000000000000000 satu kuadriliun -> kuadriliun
        drop << of 1000000000000000: << quadrillion[ >>];: 1000000000000000 one quadrillion -> quadrillion
        drop =%spellout-cardinal= of 0: =%spellout-cardinal= payments;: 0 zero payments -> payments
        drop =%spellout-cardinal= of 0: =%spellout-cardinal=;: 100 一百 -> 百
        drop rule 100000000/100000000: <%%inner-place<億[>%%after-hundred-millions>];: 1100000000000 一兆一千億 -> 一兆一千萬萬
        drop rule 100000000/100000000: <<亿[>%%after-hundred-millions>];: 100000000 一亿 -> 一万万
        drop rule 100000000/100000000: <<億[>%%after-hundred-millions>];: 100000000 一億 -> 一萬萬
        drop rule 1000000000000/1000000000000: <%%before-place<兆[>%%after-million-millions>];: 1000000000000 一兆 -> 一萬億
        drop rule 1000000000000000: << kuadrilion[ >>];: 1000000000000000 satu kuadrilion -> seribu trilion
        drop rule 1000000000000000: << kuadriliun[ >>];: 1000000000000000 satu kuadriliun -> seribu triliun
        drop rule 1000000000000000: << quadrillion[ >>];: 1000000000000000 one quadrillion -> one thousand trillion
        drop rule 1000000000000: << trilion[ >>];: 1000000000000 satu trilion -> seribu bilion
        drop rule 1000000000000: << triliun[ >>];: 1000000000000 satu triliun -> seribu miliar
        drop rule 1000000000000: << trillion[ >>];: 1000000000000 one trillion -> one thousand billion
        drop rule 100000000000: << खरब[ >>];: 100000000000 एक खरब -> एक सौ अरब
        drop rule 100000000000: =%%inner=;: 1100000000000 一兆一千億 -> 一兆零一千億
        drop rule 1000000000: << bilion[ >>];: 1000000000 satu bilion -> seribu juta
        drop rule 1000000000: << billion[ >>];: 1000000000 one billion -> one thousand million
        drop rule 1000000000: << miliar[ >>];: 1000000000 satu miliar -> seribu juta
        drop rule 1000000000: << tỷ[ >%%after-billion>];: 1000000000 một tỷ -> một nghìn triệu
        drop rule 1000000000: << अरब[ >>];: 1000000000 एक अरब -> एक सौ करोड़
        drop rule 10000000: << करोड़[ >>];: 10000000 एक करोड़ -> एक सौ लाख
        drop rule 10000000: =%%inner=;: 110000000 一亿一千万 -> 一亿零一千万
        drop rule 10000000: =%%inner=;: 110000000 一億一千萬 -> 一億零一千萬
        drop rule 1000000: <%%group< triệu[ >%%after-million>];: 1100000000 một tỷ một trăm triệu -> một tỷ một trăm nghìn nghìn
        drop rule 1000000: <<ล้าน[>%%final>];: 1000000 หนึ่งล้าน -> สิบแสน
        drop rule 100000: <<แสน[>%%final>];: 100000 หนึ่งแสน -> สิบหมื่น
        drop rule 10000: <<หมื่น[>%%final>];: 10000 หนึ่งหมื่น -> สิบพัน
        drop rule 1000: <%%group< nghìn[ >%%group>];: 1010000 một triệu không trăm mười nghìn -> một triệu mười nghìn
        drop rule 1000: =%%inner=;: 11000 一万一千 -> 一万零一千
        drop rule 1000: =%%inner=;: 11000 一萬一千 -> 一萬零一千
        drop rule 100: =%%inner=;: 1100 一千一百 -> 一千零一百
        drop rule 100: =%spellout-cardinal=;: 1100 một nghìn một trăm -> một nghìn không trăm một trăm
        drop rule 10: =%%inner=;: 110 一百一十 -> 一百零一十
        drop rule 10: =%spellout-cardinal=;: 110 một trăm mười -> một trăm linh mười
        drop rule 10: 一十[>>];: 110 一百一十 -> 一百十
        drop =%spellout-numbering= of 0: =%spellout-numbering= Zahlungen;: 0 null Zahlungen -> Zahlungen
        drop rule 1000000000000000: eine Billiarde[ >>];: 1000000000000000 eine Billiarde -> eintausend Billionen
        drop rule 100: <%spellout-cardinal-masculine<hundert[>>];: 101000 einhunderteintausend -> einhunderteinstausend
        drop rule 100: <%spellout-cardinal-masculine<hundert[>>];: 101000000 einhunderteine Millionen -> einhunderteins Millionen
        drop rule 1: eine Zahlung;: 1 eine Zahlung -> eins Zahlungen
        drop rule 1: one payment;: 1 one payment -> one payments
        drop rule 2: 两;: 2 两 -> 二
        drop rule 2: 兩;: 2 兩 -> 二
        drop rule 2: 兩;: 200 兩百 -> 二百
        drop rule 4: tư;: 24 hai mươi tư -> hai mươi bốn
        drop rule 5: lăm;: 15 mười lăm -> mười năm
        """
}
