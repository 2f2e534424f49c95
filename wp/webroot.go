package wp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/wp/weburl"
)

// WebRoots returns the folders that may be the document root of home's host, the most likely first. They are the
// folder of wp-config.php and ABSPATH. If WordPress is in a folder below home, WebRoots returns the folder above it
// instead.
//
// WebRoots returns nil without a wp-config.php. For a discovered install, no returned folder is outside of the
// install.
func (b *Blog) WebRoots() (roots []string) {
	n := b.network
	if n.config == nil {
		return nil
	}
	folders := n.config.Folders()
	named := n.source.WPConfig // the operator's path, perhaps a link
	if info, err := os.Stat(named); err == nil && !info.IsDir() {
		named = filepath.Dir(named)
	}
	if real, err := filepath.EvalSymlinks(named); err == nil {
		folders = slices.Insert(folders, 0, real)
	}
	_, home := weburl.Split(b.set.Home)
	_, own := weburl.Split(b.set.SiteURL)
	own = strings.Trim(strings.TrimPrefix(own, home), "/") // as in get_home_path()
	for _, dir := range folders {
		if above, ok := strings.CutSuffix(dir, "/"+own); ok && own != "" && n.config.MayRead(filepath.Join(above, "robots.txt")) {
			dir = above
		}
		if !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	return roots
}
