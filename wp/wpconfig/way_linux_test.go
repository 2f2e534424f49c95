package wpconfig

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The users of two installs.
const victim, mallory = 1001, 1002

// give gives files, folders and links to a user.
func give(t *testing.T, uid int, dir string, names ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range names {
		wptest.Must(t, os.Lchown(filepath.Join(dir, name), uid, uid))
	}
}

// neighbours makes the installs of two users. That of mallory includes a file and asks for a variable of .env.
func neighbours(t *testing.T) (dir string) {
	t.Helper()
	const includes = "@include 'more.php'; define('WPLANG', env('LANGUAGE'));"
	dir = tree(t, map[string]string{
		"victim/www/wp-config.php":  "<?php define('DB_NAME', 'victim');" + includes,
		"victim/www/more.php":       "<?php define('DB_USER', 'victim');",
		"victim/www/.env":           "LANGUAGE=victim",
		"victim/www/list.txt":       "victim",
		"mallory/www/wp-config.php": "<?php define('DB_NAME', 'mallory');" + includes,
		"mallory/www/more.php":      "<?php define('DB_USER', 'mallory');",
		"mallory/www/.env":          "LANGUAGE=mallory",
		"mallory/www/list.txt":      "mallory",
	})
	for user, uid := range map[string]int{"victim": victim, "mallory": mallory} {
		give(t, uid, dir, user, user+"/www")
		for _, name := range []string{"wp-config.php", "more.php", ".env", "list.txt"} {
			give(t, uid, dir, user+"/www/"+name)
		}
	}
	return dir
}

// A link on the way to a found install leads to files of its own people, or nobody but root can have put it there.
func TestLinksOnTheWay(t *testing.T) {
	type link struct {
		at, to string
		uid    int
	}
	for _, tt := range []struct {
		rule   string
		within string // has wp-config.php, or www/wp-config.php if that is a folder above
		links  []link
		want   string // DB_NAME; "" for an error
	}{
		{"no link", "mallory/www", nil, "mallory"},
		{"the folder of the install", "mallory/x", []link{{"mallory/x", "../victim/www", mallory}}, ""},
		{"the folder above", "mallory/x/www", []link{{"mallory/x", "../victim", mallory}}, ""},
		{"a folder of root's", "root/x", []link{{"root/x", "../victim/www", mallory}}, ""},
		{"over one's own", "mallory/x", []link{{"mallory/x", "www/../y", mallory}, {"mallory/y", "../victim/www", mallory}}, ""},
		{"over root's", "root/x", []link{{"root/x", "../mallory/x", 0}, {"mallory/x", "../victim/www", mallory}}, ""},
		{"wp-config.php", "mallory/empty", []link{{"mallory/empty/wp-config.php", "../../victim/www/wp-config.php", mallory}}, ""},
		{"in a circle", "mallory/x", []link{{"mallory/x", "x", mallory}}, ""},
		{"of root, moved by mallory", "mallory/x", []link{{"mallory/x", "../victim/www", 0}}, ""},
		{"of root, in a folder of everybody's", "open/x", []link{{"open/x", "../victim/www", 0}}, ""},
		{"of root, where nobody moves it", "sticky/x", []link{{"sticky/x", "../victim/www", 0}}, "victim"},
		{"of root", "root/x", []link{{"root/x", "../victim/www", 0}}, "victim"},
		{"of root, to a folder above", "root/x/www", []link{{"root/x", "../victim", 0}}, "victim"},
		{"to one's own", "mallory/x", []link{{"mallory/x", "./www/", mallory}}, "mallory"},
		{"to one's own, from the root on", "mallory/x", []link{{"mallory/x", "/mallory/www", mallory}}, "mallory"},
		{"to one's own, from root's", "root/x", []link{{"root/x", "../mallory/x", 0}, {"mallory/x", "www", mallory}}, "mallory"},
	} {
		dir := neighbours(t)
		for name, mode := range map[string]os.FileMode{"root": 0o755, "open": 0o777, "sticky": 0o777 | os.ModeSticky, "mallory/empty": 0o755} {
			wptest.Must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
			wptest.Must(t, os.Chmod(filepath.Join(dir, name), mode))
		}
		give(t, mallory, dir, "mallory/empty")
		for _, l := range tt.links {
			if filepath.IsAbs(l.to) {
				l.to = filepath.Join(dir, l.to)
			}
			wptest.Must(t, os.Symlink(l.to, filepath.Join(dir, l.at)))
			give(t, l.uid, dir, l.at)
		}
		within := filepath.Join(dir, tt.within)
		name := ""
		c, err := Parse(t.Context(), filepath.Join(within, "wp-config.php"), Options{Within: within})
		if err == nil {
			name, _ = c.String("DB_NAME")
		}
		if name != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.rule, name, err, tt.want)
		}
		text, err := ReadUnlinked(filepath.Join(within, "list.txt"), within, 100)
		if string(text) != tt.want {
			t.Errorf("%s: the list has %q %v, want %q", tt.rule, text, err, tt.want)
		}
	}
}

// A hard link to the file of a neighbour keeps its owner.
func TestHardLinksOfFoundInstalls(t *testing.T) {
	for _, name := range []string{"wp-config.php", "more.php", ".env", "list.txt"} {
		dir := neighbours(t)
		give(t, 0, dir, "victim/www/"+name) // root's files may be included
		at := filepath.Join(dir, "mallory/www")
		wptest.Must(t, os.Remove(filepath.Join(at, name)))
		wptest.Must(t, os.Link(filepath.Join(dir, "victim/www", name), filepath.Join(at, name)))
		if read := readAll(t, at); read["victim"] {
			t.Errorf("%s is read", name)
		}
	}
}

// readAll returns whose files are read for an install.
func readAll(t *testing.T, dir string) map[string]bool {
	t.Helper()
	whose := map[string]bool{}
	if c, err := Parse(t.Context(), filepath.Join(dir, "wp-config.php"), Options{Within: dir}); err == nil {
		for _, name := range []string{"DB_NAME", "DB_USER", "WPLANG"} {
			s, _ := c.String(name)
			whose[s] = true
		}
	}
	text, _ := ReadUnlinked(filepath.Join(dir, "list.txt"), dir, 100)
	whose[string(text)] = true
	return whose
}

// exchange gives two files each other's name again and again, until the test ends.
func exchange(t *testing.T, a, b string) {
	t.Helper()
	stop := make(chan struct{})
	var w sync.WaitGroup
	w.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	})
	t.Cleanup(func() { close(stop); w.Wait() })
}

// Whatever folder is renamed while files are read, none of a neighbour is.
func TestFoldersThatAreRenamed(t *testing.T) {
	for _, tt := range []struct{ rule, a, b, to string }{
		{"the folder of the install", "mallory/www", "mallory/other", "../victim/www"},
		{"a folder above", "mallory/top", "mallory/other", "../victim"},
		{"links", "mallory/www", "mallory/other", "own"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			dir := neighbours(t)
			at := filepath.Join(dir, "mallory/www")
			link := func(to, name string) {
				wptest.Must(t, os.Symlink(to, filepath.Join(dir, name)))
				give(t, mallory, dir, name)
			}
			switch tt.rule {
			case "a folder above":
				wptest.Must(t, os.Mkdir(filepath.Join(dir, tt.a), 0o755))
				wptest.Must(t, os.Rename(at, filepath.Join(dir, "mallory/top/www")))
				give(t, mallory, dir, tt.a)
				at = filepath.Join(dir, "mallory/top/www")
			case "links":
				wptest.Must(t, os.Rename(at, filepath.Join(dir, "mallory/own")))
				link(tt.to, tt.a)
				tt.to = "../victim/www"
			}
			link(tt.to, tt.b)
			exchange(t, filepath.Join(dir, tt.a), filepath.Join(dir, tt.b))
			own, long := 0, time.Second
			if testing.Short() {
				long /= 10
			}
			for end := time.Now().Add(long); time.Now().Before(end); {
				read := readAll(t, at)
				if read["victim"] {
					t.Fatal("the neighbour's file is read")
				}
				if read["mallory"] {
					own++
				}
			}
			if own == 0 {
				t.Error("not even one's own file is read")
			}
		})
	}
}

// No folder or file stays open, whether it is read or refused.
func TestNothingStaysOpen(t *testing.T) {
	dir := neighbours(t)
	write(t, filepath.Join(dir, "root/a/wp-config.php"),
		"<?php include 'b.php'; include '../c/d.php'; include '../../victim/www/list.txt'; file_exists('x/y');")
	write(t, filepath.Join(dir, "root/a/b.php"), "<?php")
	write(t, filepath.Join(dir, "root/c/d.php"), "<?php")
	wptest.Must(t, os.Symlink("a", filepath.Join(dir, "root/link")))
	wptest.Must(t, os.Symlink("../root/a/nothing", filepath.Join(dir, "root/broken")))
	open := func() (names []string) {
		all, err := os.ReadDir("/proc/self/fd")
		wptest.Must(t, err)
		for _, fd := range all {
			if name, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(name, dir) {
				names = append(names, name)
			}
		}
		return names
	}
	for _, name := range []string{
		"root/a/wp-config.php", "root/a/b.php", "root/link/wp-config.php", "root/broken", "root/link/none/b.php", "root/a/b.php/c",
		"mallory/www/list.txt", "none",
	} {
		for _, within := range []string{"", filepath.Join(dir, "root"), filepath.Join(dir, "root/a"), filepath.Join(dir, "none")} {
			_, _ = Parse(t.Context(), filepath.Join(dir, name), Options{Within: within})
			_, _ = ReadUnlinked(filepath.Join(dir, name), within, 100)
			_, _ = Way(filepath.Join(dir, name))
			_, _ = OthersWrite(filepath.Dir(filepath.Join(dir, name)))
			expect.List(t, open(), nil, "open after "+name+" within "+within)
		}
	}
}
