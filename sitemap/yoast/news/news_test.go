package news

import (
	"testing"
)

func TestNewsLanguage(t *testing.T) {
	for locale, want := range map[string]string{
		"nl_NL": "nl", "en_US": "en", "de_DE_formal": "de", "pt_PT_ao90": "pt", "ja": "ja", "ckb": "ckb", "azb": "azb", "haw_US": "haw",
		"zh_CN": "zh-cn", "zh_SG": "zh-cn", "zh": "zh-cn", "zh_TW": "zh-tw", "zh_HK": "zh-tw", "zh-Hant": "zh-tw",
		"fr-FR": "fr", "FR": "fr", "me_ME": "cnr", "": "en", "x": "en", "klingon": "en", "é": "en", "12_AB": "en", "_": "en", "<b>": "en",
	} {
		if got := languageOf(locale); got != want {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
}

func TestStockTickers(t *testing.T) {
	for _, tt := range []struct{ name, stored, want string }{
		{"none", "", ""},
		{"one", "NASDAQ:AMAT", "NASDAQ:AMAT"},
		{"blanks around", " NASDAQ:AMAT ,BOM:500325,", "NASDAQ:AMAT, BOM:500325"},
		{"a class of shares", "NYSE:BRK.B, TSX:BBD-B, AMS:A&B", "NYSE:BRK.B, TSX:BBD-B, AMS:A&B"},
		{"as the editor stores it", "NYSE:A&amp;B", "NYSE:A&B"},
		{"without an exchange", "AMAT, :AMAT, NASDAQ:", ""},
		{"two colons", "A:B:C", ""},
		{"blanks inside", "NASDAQ: AMAT, NAS DAQ:AMAT", ""},
		{"markup", "<b>NASDAQ:AMAT</b>", "NASDAQ:AMAT"},
		{"the first five", "A:A,B:B,C:C,D:D,E:E,F:F", "A:A, B:B, C:C, D:D, E:E"},
	} {
		if got := stockTickers(tt.stored); got != tt.want {
			t.Errorf("%s: %q gives %q, want %q", tt.name, tt.stored, got, tt.want)
		}
	}
}
