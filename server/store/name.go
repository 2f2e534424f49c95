package store

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// Sites, blogs and pages are found by their names alone:
//
//	example/site.record
//	example/1-5e884898da28/blog.record
//	example/1-5e884898da28/post.2.copy
//	example/crawlers.note
//
// The names are for people: what a file is of is written in the file, and that counts.
const (
	CopySuffix = ".copy"
	NewSuffix  = ".new" // of a file that is not whole yet
	SiteName   = "site.record"
	blogName   = "blog.record"
)

// IndexName is the file name of a blog's index.
var IndexName = CopyName(seo.IndexName, 1)

// SiteDir is the folder of a site.
func SiteDir(site string) string { return safe(site) }

// BlogDir is the folder of a blog, within that of its site.
func BlogDir(site, key string) string {
	id, _, _ := strings.Cut(key, " ")
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(SiteDir(site), safe(id)+"-"+hex.EncodeToString(sum[:6]))
}

// CopyName is the file name of a page.
func CopyName(name string, page int) string {
	return safe(name) + "." + strconv.Itoa(page) + CopySuffix
}

// TopDir is the folder of the site that a folder belongs to.
func TopDir(dir string) string {
	top, _, _ := strings.Cut(dir, string(filepath.Separator))
	return top
}

// Ours reports whether a file has a name that the store gives.
func Ours(dir, name string) bool {
	name = strings.TrimSuffix(name, NewSuffix)
	if strings.Contains(dir, string(filepath.Separator)) {
		return name == blogName || strings.HasSuffix(name, CopySuffix) || strings.HasSuffix(name, NoteSuffix)
	}
	return dir != "." && (name == SiteName || strings.HasSuffix(name, NoteSuffix))
}

const maxSafe = 100 // bytes; file systems allow 255

// safe makes a name that every file system takes, another one for every text: letters, digits,
// _ and - stay, the rest is written as its bytes.
func safe(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z', c == '_', c == '-':
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	if b.Len() > maxSafe || b.Len() == 0 {
		sum := sha256.Sum256([]byte(text))
		return b.String()[:min(b.Len(), maxSafe/2)] + "~" + hex.EncodeToString(sum[:12])
	}
	return b.String()
}
