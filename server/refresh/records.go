package refresh

import (
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// sitemapsOf is what a store keeps of an outline.
func sitemapsOf(o *catalog.Outline) store.Sitemaps {
	return store.Sitemaps{
		Files:   recordsOf(o.Files),
		Others:  recordsOf(o.Others),
		Active:  o.Active,
		Index:   o.Index,
		Plugin:  o.Plugin,
		Chosen:  o.Chosen,
		Why:     o.Why,
		Base:    store.Base(o.Base),
		Owned:   o.Owned,
		Types:   o.Types,
		Asked:   o.Asked,
		Left:    o.Left,
		Open:    o.Open,
		Timed:   o.Timed,
		Private: o.Private,
		Off:     o.Off,
		Plugins: o.Plugins,

		NotInRobots: o.NotInRobots,
	}
}

// outlineOf is the outline that a store has kept.
func outlineOf(s *store.Sitemaps) catalog.Outline {
	return catalog.Outline{
		Files:   filesOf(s.Files),
		Others:  filesOf(s.Others),
		Active:  s.Active,
		Index:   s.Index,
		Plugin:  s.Plugin,
		Chosen:  s.Chosen,
		Why:     s.Why,
		Base:    seo.Base(s.Base),
		Owned:   s.Owned,
		Types:   s.Types,
		Asked:   s.Asked,
		Left:    s.Left,
		Open:    s.Open,
		Timed:   s.Timed,
		Private: s.Private,
		Off:     s.Off,
		Plugins: s.Plugins,

		NotInRobots: s.NotInRobots,
	}
}

func recordsOf(files []catalog.File) []store.File {
	if files == nil {
		return nil
	}
	records := make([]store.File, len(files))
	for i, f := range files {
		records[i] = store.File(f)
	}
	return records
}

func filesOf(records []store.File) []catalog.File {
	if records == nil {
		return nil
	}
	files := make([]catalog.File, len(records))
	for i, r := range records {
		files[i] = catalog.File(r)
	}
	return files
}
