import SoundboxControl

/// The text that a browser shows instead of the page after a refusal, without script and styles.
enum RefusalPage {
    /// - Parameter language: the language of the box's voice. English is added.
    static func otherName(language: String) -> HTTPResponse {
        let english =
            "This page cannot be opened by this name. Type the box’s address, such as http://192.168.1.7, or its name "
            + "with .local behind it."
        let key =
            language.hasPrefix("zh") ? (language.hasSuffix("CN") ? "zh-Hans" : "zh-Hant") : String(language.prefix(2))
        return response(421, [otherName[key].map { (key, $0) }, ("en", english)].compactMap(\.self))
    }

    static func unknown() -> HTTPResponse {
        response(404, [("en", "There is no such page here.")], more: "<p><a href=\"/\">Sound box</a></p>\n")
    }

    private static func response(
        _ status: Int, _ sentences: [(language: String, text: String)], more: String = ""
    ) -> HTTPResponse {
        let words = sentences.map { "<p lang=\"\($0.language)\">\($0.text)</p>\n" }.joined()
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Sound box</title>
            <h1>Sound box</h1>

            """
        return HTTPResponse(
            status: status, contentType: "text/html; charset=utf-8", body: Array((text + words + more).utf8))
    }

    /// In the page's languages.
    private static let otherName = [
        "de": "Unter diesem Namen lässt sich die Seite nicht öffnen. Bitte die Adresse der Box eingeben, etwa "
            + "http://192.168.1.7, oder ihren Namen mit .local dahinter.",
        "hi": "यह पेज इस नाम से नहीं खुलता। बॉक्स का पता लिखें, जैसे http://192.168.1.7, या उसका नाम और पीछे .local।",
        "id": "Halaman ini tidak bisa dibuka dengan nama ini. Ketik alamat kotak, misalnya http://192.168.1.7, atau "
            + "namanya dengan .local di belakangnya.",
        "ko": "이 이름으로는 이 페이지를 열 수 없습니다. http://192.168.1.7 같은 박스의 주소나 뒤에 .local을 붙인 이름을 입력하세요.",
        "ms": "Halaman ini tidak boleh dibuka dengan nama ini. Taip alamat kotak, contohnya http://192.168.1.7, atau "
            + "namanya dengan .local di belakangnya.",
        "th": "เปิดหน้านี้ด้วยชื่อนี้ไม่ได้ พิมพ์ที่อยู่ของกล่อง เช่น http://192.168.1.7 หรือชื่อของกล่องที่ลงท้ายด้วย .local",
        "vi":
            "Không mở được trang này bằng tên này. Hãy nhập địa chỉ của hộp, ví dụ http://192.168.1.7, hoặc tên của hộp "
            + "có .local ở sau.",
        "zh-Hans": "用这个名称打不开本页。请输入音箱的地址，例如 http://192.168.1.7，或以 .local 结尾的音箱名称。",
        "zh-Hant": "用這個名稱打不開本頁。請輸入音箱的位址，例如 http://192.168.1.7，或以 .local 結尾的音箱名稱。",
    ]
}
