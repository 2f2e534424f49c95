package wp

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A wp-config.php that was found names the servers of this machine and those that the operator allows, and no other one.
func TestServersOfFoundInstalls(t *testing.T) {
	allowed := []string{"db1.internal", "*.rds.example.com:33*", "[fd00::5]:3307", "/srv/db/*.sock"}
	for _, tt := range []struct {
		rule, network, addr string
		ok                  bool
	}{
		{"this machine", "tcp", "127.0.0.1:3306", true},
		{"this machine by IPv6", "tcp", "[::1]:3306", true},
		{"this machine by name", "tcp", "localhost:3306", true},
		{"another port of this machine", "tcp", "127.0.0.1:3307", false},
		{"a name that begins like it", "tcp", "localhost.example.com:3306", false},
		{"a number that is it, perhaps", "tcp", "2130706433:3306", false},
		{"any address of this machine", "tcp", "0.0.0.0:3306", false},
		{"a host nobody allowed", "tcp", "db2.internal:3306", false},
		{"a host that is allowed", "tcp", "db1.internal:3306", true},
		{"in other letters, and absolute", "tcp", "DB1.internal.:3306", true},
		{"another port of it", "tcp", "db1.internal:3307", false},
		{"a pattern", "tcp", "a.rds.example.com:3310", true},
		{"a pattern is about the whole name", "tcp", "a.rds.example.com.evil.test:3306", false},
		{"an address of IPv6", "tcp", "[fd00::5]:3307", true},
		{"a socket of a folder that is allowed", "unix", "/srv/db/a.sock", true},
		{"a socket in a folder that anybody can write to", "unix", "/tmp/mysql.sock", false},
		{"an abstract socket", "unix", "@mysql", false},
	} {
		src := Source{Within: "/srv/www/a", Servers: allowed}
		if tt.addr == "/srv/db/a.sock" {
			src.Servers = []string{filepath.Join(t.TempDir(), "*.sock")}
			tt.addr = filepath.Join(filepath.Dir(src.Servers[0]), "a.sock")
		}
		_, err := src.allowed(tt.network, tt.addr)
		expect.Equal(t, err == nil, tt.ok, tt.rule, err)
		if err != nil && tt.addr[0] != '@' && !strings.Contains(err.Error(), "add to its [[discover]]: db_hosts = [") {
			t.Errorf("%s: the error does not say what to write: %v", tt.rule, err)
		}
		if _, err := (&Source{Servers: allowed}).allowed(tt.network, tt.addr); err != nil {
			t.Errorf("%s: a [[site]] may name every server: %v", tt.rule, err)
		}
	}
}

// Sockets are known by the folder that they lie in, whatever the path to it.
func TestSocketsOfFoundInstalls(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs folders of several users")
	}
	base, err := os.MkdirTemp("", "sockets") // /tmp is sticky
	wptest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	const tenant = 65534
	folder := func(name string, mode os.FileMode, owner, group int) string {
		dir := filepath.Join(base, name)
		for _, err := range []error{os.MkdirAll(dir, 0o755), os.Chmod(dir, mode), os.Chown(dir, owner, group)} {
			wptest.Must(t, err)
		}
		return dir
	}
	link := func(to, at string) string {
		wptest.Must(t, os.Symlink(to, at))
		return at
	}
	wptest.Must(t, os.Chmod(base, 0o755))
	root, own := folder("root", 0o755, 0, 0), folder("tenant", 0o755, tenant, tenant)
	for _, tt := range []struct{ rule, path, real string }{
		{"a folder of root's", filepath.Join(root, "s"), filepath.Join(root, "s")},
		{"the tenant's own folder", filepath.Join(own, "s"), ""},
		{"a folder of root's in it", filepath.Join(folder("tenant/root", 0o755, 0, 0), "s"), ""},
		{"a folder that a group can write to", filepath.Join(folder("group", 0o775, 0, tenant), "s"), ""},
		{"a folder that root's group can write to", filepath.Join(folder("wheel", 0o775, 0, 0), "s"), filepath.Join(base, "wheel", "s")},
		{"a folder that everybody can write to", filepath.Join(folder("all", 0o777, 0, 0), "s"), ""},
		{"a sticky one", filepath.Join(folder("sticky", 0o777|os.ModeSticky, 0, 0), "s"), ""},
		{"a link to the tenant's socket", link(filepath.Join(own, "s"), filepath.Join(root, "link")), ""},
		{"the tenant's link to a folder of root's", filepath.Join(link(root, filepath.Join(own, "folder")), "s"), filepath.Join(root, "s")},
		{"the tenant's link to nothing", link(filepath.Join(root, "nothing"), filepath.Join(own, "dangling")), ""},
	} {
		if tt.rule == "a folder of root's" {
			l, err := net.Listen("unix", tt.path)
			wptest.Must(t, err)
			defer l.Close()
		}
		src := Source{Within: own}
		if real, err := src.allowed("unix", tt.path); real != tt.real || (err == nil) != (tt.real != "") {
			t.Errorf("%s: %q, %v, want %q", tt.rule, real, err, tt.real)
		}
	}
}

func TestCheckServer(t *testing.T) {
	for pattern, want := range map[string]string{
		"db1":              "",
		"db1:3306":         "",
		"*.internal:*":     "",
		"[::1]:3307":       "",
		"::1":              "",
		"/run/*/sock":      "",
		"":                 "must be a database server",
		"db1/x":            "must be a database server",
		"mysql://db1:3306": "must be a database server",
		"db1:0":            "the port",
		"db1:mysql":        "the port",
		"db[1:3306":        "not a valid pattern",
	} {
		err := CheckServer(pattern)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}
