package site

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp"
)

// Files are what the files of an install tell of where it is and since when it is there.
type Files struct {
	Folders []Folder  // from the root to that of wp-config.php
	Edited  time.Time // wp-config.php; zero: not known
	Home    string    // the address in wp-config.php; ""
	SiteURL string    // where WordPress itself lives by it, which may be another path; ""
}

// Folder is one on the way to an install.
type Folder struct {
	Name string
	Born time.Time // zero: not known
}

// ReadFiles reads what the files of a site show.
func ReadFiles(ctx context.Context, of *config.Site) *Files {
	f := &Files{}
	if of.WPConfig == "" {
		return f
	}
	path := of.WPConfig
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "wp-config.php")
	}
	if info, err := os.Stat(path); err == nil {
		f.Edited = info.ModTime()
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		f.Folders = append([]Folder{{filepath.Base(dir), born(dir)}}, f.Folders...)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	f.Home, f.SiteURL = wp.HomeInConfig(ctx, SourceOf(of))
	return f
}

// LookAtFiles reads what the files of the site show, and reports whether it could.
func (s *Site) LookAtFiles(ctx context.Context) bool {
	return s.Guard(func() error {
		s.SetFiles(ReadFiles(ctx, &s.Config))
		return nil
	}) == nil
}

// Files returns what the files of the site show, nil where nobody has read them yet.
func (s *Site) Files() *Files { return s.files.Load() }

// SetFiles notes what the files of the site show.
func (s *Site) SetFiles(f *Files) { s.files.Store(f) }
