package wp

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// A plugin is known in a folder of another name; where its file's name is a common one, the folder has to begin alike.
func TestFolders(t *testing.T) {
	for _, tt := range []struct{ file, entry, want string }{
		{"seo-by-rank-math/rank-math.php", "seo-by-rank-math/rank-math.php", "seo-by-rank-math"},
		{"seo-by-rank-math/rank-math.php", "rank-math-dev/rank-math.php", "rank-math-dev"},
		{"google-sitemap-generator/sitemap.php", "google-sitemap-generator-4/sitemap.php", "google-sitemap-generator-4"},
		{"google-sitemap-generator/sitemap.php", "another/sitemap.php", ""},
		{"jetpack/jetpack.php", "jetpack-dev/jetpack.php", "jetpack-dev"},
	} {
		active := map[string]bool{tt.entry: true}
		if tt.want != "" {
			active[tt.file] = true // by its own name, as wp adds it
		}
		expect.Equal(t, ownAlone.folderOf([]string{tt.file}, active), tt.want, tt.file, "among", active)
	}
}
