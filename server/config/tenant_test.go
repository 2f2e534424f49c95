package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The people of an install choose the names of its folders. They gain nothing of another install by that, and no other
// install loses its place.
func TestNamesOfStrangers(t *testing.T) {
	root := tree(t, "a-b/c/wp-config.php", "a/b-c/wp-config.php", "x/y z/wp-config.php", "x/y-z/wp-config.php", "x/\x1b[31m\n/wp-config.php", "x/"+
		strings.Repeat("n", 200)+"/wp-config.php")
	c, err := Parse("[[discover]]\nwp_config = \"*/*/wp-config.php\"\nupstream = \"unix:/run/{name}.sock\"\n"+
		"[discover.site.x-y-z]\npage_size = 7\n", "c", root)
	if err != nil || len(c.Sites) != 6 {
		t.Fatalf("%v, %d sites", err, len(c.Sites))
	}
	seen := map[string]bool{}
	for _, s := range c.Sites {
		if seen[s.Name] || !nameForm.MatchString(s.Name) || s.Upstream.String() != "unix:/run/"+s.Name+".sock" {
			t.Errorf("%q with %v", s.Name, s.Upstream)
		}
		seen[s.Name] = true
		expect.Equal(t, s.PageSize == 7, s.WPConfig == filepath.Join(root, "x/y-z/wp-config.php"), s.WPConfig, s.PageSize)
	}
	if seen["a-b-c"] || len(c.Warnings) != 2 {
		t.Errorf("%v %q", seen, c.Warnings)
	}
	odd := Found{File: filepath.Join(root, "x/\x1b[31m\n/wp-config.php"), Name: "x-\x1b[31m\n"}
	c, err = Parse("[[discover]]\nwp_config = \"*/*/wp-config.php\"\n[[site]]\nname = \""+odd.PlainName()+"\"\ndsn = \"sqlite:x\"\n", "c", root)
	wptest.Must(t, err)
	if text := strings.Join(c.Warnings, ""); !strings.Contains(text, "31m") || strings.ContainsFunc(text, unicode.IsControl) {
		t.Errorf("%q", text)
	}
}

// The install that had a name first keeps it, with the settings that the operator gave to that name. This holds no
// matter which names come later, after a restart, and while its files are missing. If two installs come at once,
// neither gets the settings of the name.
func TestNamesStay(t *testing.T) {
	root := tree(t, "x/a-b/c/wp-config.php")
	victim, thief := filepath.Join(root, "x/a-b/c/wp-config.php"), filepath.Join(root, "x/a/b-c/wp-config.php")
	state := filepath.Join(root, "state")
	text := "state = \"" + state + "\"\n[[discover]]\nwp_config = [\"x/*/*/wp-config.php\", " +
		"\"x/*/wp-config.php\"]\n[[discover]]\nwp_config = \"y/*/wp-config.php\"\n" +
		"[discover.site.a-b-c]\nhosts = [\"other.test\"]\n"
	text = strings.Replace(text, "[[discover]]\nwp_config = \"y", "[discover.site.a-b-c]\nhosts = [\"victim.test\"]\n[[discover]]\nwp_config = \"y", 1)
	read := func(before *Config) *Config {
		t.Helper()
		c, err := parse(text, "c", root, before, false)
		wptest.Must(t, err)
		return c
	}
	want := func(when string, c *Config, names map[string]string) {
		t.Helper()
		got := map[string]string{}
		for _, s := range c.Sites {
			got[s.WPConfig] = s.Name
			if numberForm.MatchString(s.Name) {
				got[s.WPConfig] = "numbered"
			}
			if (s.HostNames() != nil) != (s.Name == "a-b-c") {
				t.Errorf("%s: %s has %v", when, s.WPConfig, s.HostNames())
			}
		}
		expect.Same(t, names, got, when)
	}
	add := func(file string) {
		t.Helper()
		wptest.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		wptest.Must(t, os.WriteFile(file, nil, 0o600))
	}
	alone, both := map[string]string{victim: "a-b-c"}, map[string]string{victim: "a-b-c", thief: "numbered"}
	first := read(nil)
	want("alone", first, alone)
	add(thief)
	second := read(first)
	want("the other one comes", second, both)
	wptest.Must(t, os.Remove(victim))
	gap := read(second)
	want("its files are missing", gap, map[string]string{thief: "numbered"})
	add(victim)
	want("it is back", read(gap), both)

	want("nothing tells", read(nil), map[string]string{victim: "numbered", thief: "numbered"})
	kept, err := OpenStore(state, store.Options{})
	wptest.Must(t, err)
	wptest.Must(t, kept.Open())
	kept.SaveSite("a-b-c", nil, struct{ Source string }{first.Sites[0].Identity()})
	ended, end := context.WithCancel(t.Context())
	end()
	kept.Run(ended)
	third := read(nil)
	want("after a restart", third, both)

	// Another pattern, another section, other letter case, and a name that looks numbered.
	wptest.Must(t, os.Remove(thief))
	others := map[string]string{victim: "a-b-c"}
	for _, file := range []string{"x/a-b-c/wp-config.php", "y/a-b-c/wp-config.php", "x/A-B/c/wp-config.php"} {
		add(filepath.Join(root, file))
		others[filepath.Join(root, file)] = "numbered"
	}
	want("others", read(third), others)

	// An install of the same customer in another folder.
	wptest.Must(t, os.Remove(victim))
	delete(others, victim)
	text = strings.Replace(text, "\"x/*/*/wp-config.php\"", "\"x/*/*/wp-config.php\", \"x/*/*/new/wp-config.php\"", 1)
	add(filepath.Join(filepath.Dir(victim), "new/wp-config.php"))
	others[filepath.Join(filepath.Dir(victim), "new/wp-config.php")] = "a-b-c"
	want("moved", read(third), others)
}

// A folder whose name would make the host of another site has no effect: the configuration stays valid, and the host
// stays where it is.
func TestHostByName(t *testing.T) {
	root := tree(t, "one/wp-config.php", "www/wp-config.php")
	for _, keys := range []string{`hosts = ["{name}.agency.test"]`, `home = "https://{name}.agency.test"`} {
		const main = "[[site]]\nname = \"main\"\ndsn = \"u@/db\"\nhosts = [\"www.agency.test\"]\n[[discover]]\nwp_config = \"*/wp-config.php\"\n"
		c, err := Parse(main+keys, "c", root)
		if err != nil || len(c.Sites) != 2 || c.Sites[1].Name != "one" || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "www.agency.test") {
			t.Errorf("%s: %v, %v", keys, err, c)
		}
		if _, err := Parse(main+keys+"\n[discover.site.one]\nhosts = [\"www.agency.test\"]\n", "c", root); err == nil {
			t.Errorf("%s: a mistake of the operator is none", keys)
		}
	}
}

// A search that ends early does not remove an install that was found before and still exists.
func TestFoundInstallsStay(t *testing.T) {
	root := tree(t, "one/wp-config.php", "two/wp-config.php", "old/wp-config.php", "gone/wp-config.php")
	parse := func(text string) *Config {
		c, err := Parse(text, "c", root)
		wptest.Must(t, err)
		return c
	}
	before := parse("[[discover]]\nwp_config = \"**/wp-config.php\"\n")
	wptest.Must(t, os.RemoveAll(filepath.Join(root, "gone")))
	for _, partial := range []bool{false, true} {
		c := parse("[[discover]]\nwp_config = \"**/wp-config.php\"\nskip = \"old\"\n")
		c.Sites = c.Sites[:1] // as if the search had ended before it found the others
		want := []string{"one"}
		if partial {
			c.partial, want = c.Searches, []string{"one", "two"}
		}
		c.KeepFound(before)
		var got []string
		for _, s := range c.Sites {
			got = append(got, s.Name)
		}
		expect.Same(t, want, got, "partial", partial)
	}
}

// TestOwnSettings checks the tables [discover.site.NAME].
func TestOwnSettings(t *testing.T) {
	root := tree(t, "one/wp-config.php", "two/wp-config.php")
	c, err := Parse(`[defaults]
page_size = 7
compat = "plugin"
[[discover]]
wp_config = "*/wp-config.php"
compat = "spec"
upstream = "https://{name}.internal"
dsn = "u:p@tcp(db:3306)/{name}"
home = "https://{name}.example"
[[discover.extra]]
name = "list"
file = "{name}/list.txt"
[[discover.extra]]
name = "docs"
url = "https://{name}.example/docs.xml"
[discover.site.one]
dsn = "own@tcp(db:3306)/own"
hosts = ["a.example", "b.example"]
exclude.post_ids = [7]
`, "c", root)
	wptest.Must(t, err)
	if len(c.Sites) != 2 || len(c.Warnings) != 0 {
		t.Fatalf("%d sites, %q", len(c.Sites), c.Warnings)
	}
	s := c.Sites[0]
	if s.Upstream.String() != "https://one.internal" || s.DSN != "own@tcp(db:3306)/own" || len(s.Hosts) != 2 || s.Home != "https://one.example" ||
		s.Exclude.PostIDs[0] != 7 || s.PageSize != 7 || s.Compat != "spec" || s.Within != filepath.Join(root, "one") {
		t.Errorf("%+v", s)
	}
	if x := c.Sites[1].Extra; len(x) != 2 || x[0].File != root+"/two/list.txt" || x[1].URL != "https://two.example/docs.xml" {
		t.Errorf("%+v", x)
	}
	for _, want := range []Setting{{"upstream", `"https://one.internal"`, "line 7"},
		{"dsn", `"***"`, "line 17"}, {"exclude.post_ids", "[7]", "line 19"}} {
		if all := s.Effective(); !slices.Contains(all, want) {
			t.Errorf("%v is not among %v", want, all)
		}
	}
}

// A wp-config.php cannot read a variable that the configuration uses. That of a found install reads none.
func TestEnvironment(t *testing.T) {
	t.Setenv("DB_A", "sesame")
	t.Setenv("DB_B", "open")
	c, err := Parse("[[site]]\nname = \"a\"\nwp_config = \"a/wp-config.php\"\ndsn = \"u:${DB_A:-x}@tcp(h:1)/d\"\n"+
		"[[site]]\nname = \"b\"\nwp_config = \"b/wp-config.php\"\n[[discover]]\nwp_config = \"www/*/wp-config.php\"\n", "c", tree(t, "www/c/wp-config.php"))
	wptest.Must(t, err)
	for i, found := range []bool{false, false, true} {
		s := &c.Sites[i]
		_, hidden := s.Environment("DB_A")
		value, set := s.Environment("DB_B")
		expect.Equal(t, s.Discovered(), found, s.Name)
		expect.Equal(t, hidden, false, s.Name, "reads DB_A")
		expect.Equal(t, value == "open" && set, !found, s.Name, "reads DB_B")
	}
}
