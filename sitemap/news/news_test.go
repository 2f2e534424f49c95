package news

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestNewsLanguage(t *testing.T) {
	for locale, want := range map[string]string{
		"nl_NL": "nl", "en_US": "en", "de_DE_formal": "de", "pt_PT_ao90": "pt", "ja": "ja", "ckb": "ckb", "azb": "azb", "haw_US": "haw",
		"zh_CN": "zh-cn", "zh_SG": "zh-cn", "zh": "zh-cn", "zh_TW": "zh-tw", "zh_HK": "zh-tw", "zh-Hant": "zh-tw",
		"fr-FR": "fr", "FR": "fr", "me_ME": "cnr", "": "en", "x": "en", "klingon": "en", "é": "en", "12_AB": "en", "_": "en", "<b>": "en",
	} {
		expect.Equal(t, languageOf(locale), want, locale)
	}
}
