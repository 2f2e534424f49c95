package wp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/wp/weburl"
)

// WebRoots are the folders that the web server may serve the root of home's host from, the likeliest first: those of wp-config.php
// and ABSPATH, or the folder above where WordPress has one of its own below home. They are known by the wp-config.php alone, and
// that of an install that was discovered leads to no folder of another one.
func (s *Blog) WebRoots() (roots []string) {
	n := s.network
	if n.config == nil {
		return nil
	}
	folders := n.config.Folders()
	named := n.source.WPConfig // as the operator has it, and perhaps a link
	if info, err := os.Stat(named); err == nil && !info.IsDir() {
		named = filepath.Dir(named)
	}
	if real, err := filepath.EvalSymlinks(named); err == nil {
		folders = slices.Insert(folders, 0, real)
	}
	_, home := weburl.Split(s.set.Home)
	_, own := weburl.Split(s.set.SiteURL)
	own = strings.Trim(strings.TrimPrefix(own, home), "/") // as WordPress' get_home_path()
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
