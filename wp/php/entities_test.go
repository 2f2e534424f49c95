package php

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// What is expected was printed by PHP 8.2.

func TestHTMLEntityDecode(t *testing.T) {
	for _, tt := range []struct{ in, utf8, latin9 string }{
		{"plain", "plain", "plain"},
		{"&amp;amp;", "&amp;", "&amp;"},
		{"&lt;&gt;&quot;&#039;&#39;", `<>"''`, `<>"''`},
		{"&apos;", "&apos;", "&apos;"},
		{"&eacute;&#233;&#xE9;&#XE9;", "éééé", "\xe9\xe9\xe9\xe9"},
		{"&euro;&Yuml;", "€Ÿ", "\xa4\xbe"},
		{"&curren;", "¤", "&curren;"},
		{"&#8211;&hellip;", "–…", "&#8211;&hellip;"},
		{"&lang;&rang;", "\u2329\u232a", "&lang;&rang;"},
		{"&#0;&#128;&#127;&#55296;&#1114112;", "&#0;&#128;&#127;&#55296;&#1114112;", "&#0;&#128;&#127;&#55296;&#1114112;"},
		{"&bogus;&;&#;&#x;&#xZ; & &amp", "&bogus;&;&#;&#x;&#xZ; & &amp", "&bogus;&;&#;&#x;&#xZ; & &amp"},
		{"é&eacute;", "éé", "é\xe9"},
		{"&#126;&#160;&#55295;&#57344;&#1114111;&#32;&#9;&#10;&#13;", "~\u00a0\ud7ff\ue000\U0010ffff \t\n\r", "~\xa0&#55295;&#57344;&#1114111; \t\n\r"},
		{"&#159;&#31;&#11;", "&#159;&#31;&#11;", "&#159;&#31;&#11;"},
	} {
		expect.Equal(t, HTMLEntityDecode(tt.in, UTF8), tt.utf8, tt.in, "into UTF-8")
		expect.Equal(t, HTMLEntityDecode(tt.in, Latin9), tt.latin9, tt.in, "into ISO 8859-15")
	}
}
