package php

import "testing"

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
	} {
		if got := HTMLEntityDecode(tt.in, UTF8); got != tt.utf8 {
			t.Errorf("%q into UTF-8: %q, want %q", tt.in, got, tt.utf8)
		}
		if got := HTMLEntityDecode(tt.in, Latin9); got != tt.latin9 {
			t.Errorf("%q into ISO 8859-15: %q, want %q", tt.in, got, tt.latin9)
		}
	}
}
