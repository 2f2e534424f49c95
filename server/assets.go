package server

import (
	_ "embed"
	"time"
)

// The stylesheets a sitemap can name in its prolog, the same for every site.
var (
	//go:embed assets/wpsitemapd.css
	cssText []byte
	//go:embed assets/sitemap.xsl
	xslText []byte

	cssCopy = newCopy(cssText, time.Time{}, 0, time.Time{}, nil)
	xslCopy = newCopy(xslText, time.Time{}, 0, time.Time{}, nil)
)
