package memory

import (
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
)

// sitemapsOf is what a store keeps of an outline.
func sitemapsOf(o *sitemap.Outline) store.Sitemaps {
	return store.Sitemaps{
		Files:   recordsOf(o.Files),
		Others:  recordsOf(o.Others),
		Active:  o.Active,
		Index:   o.Index,
		Core:    o.Core,
		Owned:   o.Owned,
		Asked:   o.Asked,
		Left:    o.Left,
		Open:    o.Open,
		Timed:   o.Timed,
		Private: o.Private,
		Off:     o.Off,
		Plugins: o.Plugins,
	}
}

// outlineOf is the outline that a store has kept.
func outlineOf(s *store.Sitemaps) sitemap.Outline {
	return sitemap.Outline{
		Files:   filesOf(s.Files),
		Others:  filesOf(s.Others),
		Active:  s.Active,
		Index:   s.Index,
		Core:    s.Core,
		Owned:   s.Owned,
		Asked:   s.Asked,
		Left:    s.Left,
		Open:    s.Open,
		Timed:   s.Timed,
		Private: s.Private,
		Off:     s.Off,
		Plugins: s.Plugins,
	}
}

func recordsOf(files []sitemap.File) []store.File {
	if files == nil {
		return nil
	}
	records := make([]store.File, len(files))
	for i, f := range files {
		records[i] = store.File(f)
	}
	return records
}

func filesOf(records []store.File) []sitemap.File {
	if records == nil {
		return nil
	}
	files := make([]sitemap.File, len(records))
	for i, r := range records {
		files[i] = sitemap.File(r)
	}
	return files
}
