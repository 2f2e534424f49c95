package owner

import (
	"net/url"
	"strings"

	"wpsitemapd/wp/php"
)

// folded returns a path in the form in which paths are compared: letter case and escapes do not matter. It has a slash between two
// folders, and nowhere else.
func folded(path string) string {
	folders := strings.Split(path, "/")
	for i, f := range folders {
		folders[i] = url.PathEscape(strings.ToLower(php.URLDecode(f)))
	}
	return strings.Join(folders, "/")
}
