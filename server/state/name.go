package state

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"wpsitemapd/sitemap"
)

// Sites, blogs and pages are found by their names alone:
//
//	example/site.record
//	example/1-5e884898da28/blog.record
//	example/1-5e884898da28/post.2.copy
//	example/crawlers.note
//
// The names are for people; what a file is of stands in the file, and counts.
const (
	copySuffix = ".copy"
	siteName   = "site.record"
	blogName   = "blog.record"
)

var indexName = copyName(sitemap.IndexName, 1)

func siteDir(site string) string { return safe(site) }

func blogDir(site, key string) string {
	id, _, _ := strings.Cut(key, " ")
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(siteDir(site), safe(id)+"-"+hex.EncodeToString(sum[:6]))
}

func copyName(name string, page int) string {
	return safe(name) + "." + strconv.Itoa(page) + copySuffix
}

// topDir is the folder of the site that a folder belongs to.
func topDir(dir string) string {
	top, _, _ := strings.Cut(dir, string(filepath.Separator))
	return top
}

// ours tells whether a file has a name that the store gives.
func ours(dir, name string) bool {
	name = strings.TrimSuffix(name, newSuffix)
	if strings.Contains(dir, string(filepath.Separator)) {
		return name == blogName || strings.HasSuffix(name, copySuffix) || strings.HasSuffix(name, noteSuffix)
	}
	return dir != "." && (name == siteName || strings.HasSuffix(name, noteSuffix))
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
