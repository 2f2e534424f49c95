package owner

import (
	"net/url"
	"strings"

	"wpsitemapd/wp/php"
)

// folded returns a path in the form in which paths are compared, without differences in letter case and in the spelling of
// escapes. An escaped slash stays escaped.
func folded(path string) string {
	folders := strings.Split(path, "/")
	for i, f := range folders {
		folders[i] = url.PathEscape(strings.ToLower(php.URLDecode(f)))
	}
	return strings.Join(folders, "/")
}
