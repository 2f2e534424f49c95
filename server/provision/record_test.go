package provision

import (
	"path/filepath"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Each change of a file is recorded with what undoes it, and with the web server that it is about. A file that has the wanted
// content already is neither written nor recorded.
func TestRecordOfFiles(t *testing.T) {
	dir := t.TempDir()
	made, old := filepath.Join(dir, "made"), filepath.Join(dir, "old")
	write(t, old, "before after")
	r := &record{path: filepath.Join(dir, "record.json")}
	wptest.Must(t, r.write(deed{Server: "nginx", File: made, New: "new"}, 0o644, keep))
	wptest.Must(t, r.write(deed{File: made, New: "new"}, 0o644, keep))
	wptest.Must(t, r.insert(deed{File: old, New: "between "}, "before "))
	if err := r.insert(deed{File: old, New: "x"}, "another beginning"); err == nil {
		t.Error("a file that has changed was changed")
	}
	wptest.Must(t, r.write(deed{File: old, New: "replaced"}, 0o644, keep))
	expect.Equal(t, text(t, old), "replaced")
	stored, err := readRecord(r.path)
	wptest.Must(t, err)
	expect.Same(t, []deed{
		{Server: "nginx", File: made, Created: true, New: "new"}, {File: old, New: "between "}, {File: old, Old: "before between after", New: "replaced"},
	}, stored.Deeds)
	wptest.Must(t, stored.revert(t.Context(), &Setup{record: stored}, 0, func(d deed) bool { return true }))
	expect.Equal(t, text(t, old), "before after")
	if exists(made) || exists(r.path) {
		t.Error("what was made is still there")
	}
}
