package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/sample"
)

// hostile are lines of a wp-config.php of which each would let $stolen hold what is another's, and lines that
// would stop whoever reads the file.
var hostile = map[string]string{
	"content":      `$stolen = file_get_contents(dirname(__DIR__, 2) . '/victim/htdocs/wp-config.php');`,
	"lines":        `$stolen = implode('', file(dirname(__DIR__, 2) . '/victim/htdocs/wp-config.php'));`,
	"environ":      `$stolen = file_get_contents('/proc/self/environ');`,
	"getenv":       `$stolen = getenv('SECRET_TOKEN') . getenv('REDIS_PASSWORD') . $_ENV['WPSITEMAPD_ADMIN_TOKEN'] . $_SERVER['CREDENTIALS_DIRECTORY'];`,
	"used":         `$stolen = getenv('DB_SHARED_PASSWORD') ?: 'none';`,
	"password":     `$stolen = getenv('DB_PASSWORD') ?: 'none';`,
	"salt":         `$stolen = env('WP_AUTH_KEY') ?: 'none';`,
	"docker":       `$stolen = getenv_docker('WORDPRESS_DB_PASSWORD', 'none');`,
	"includes":     `include dirname(__DIR__, 2) . '/victim/htdocs/wp-config.php'; $stolen = DB_PASSWORD;`,
	"relative":     `include '../../victim/htdocs/wp-config.php'; $stolen = DB_PASSWORD;`,
	"link":         `include __DIR__ . '/link.php'; $stolen = DB_PASSWORD;`,
	"linkfolder":   `include __DIR__ . '/folder/wp-config.php'; $stolen = DB_PASSWORD;`,
	"private":      `include dirname(__DIR__, 2) . '/victim/private/database.php'; $stolen = DB_PASSWORD;`,
	"dotenv":       `Dotenv\Dotenv::createUnsafeMutable('/proc/self', 'environ')->safeLoad(); $stolen = getenv('SECRET_TOKEN');`,
	"victimenv":    `Dotenv\Dotenv::createUnsafeMutable(dirname(__DIR__, 2) . '/victim')->safeLoad(); $stolen = getenv('VICTIM_PASSWORD');`,
	"linkedenv":    `$stolen = env('VICTIM_PASSWORD') . getenv('SECRET_TOKEN');`,
	"nested":       `$stolen = env('NESTED');`,
	"oracle":       `$stolen = file_exists(dirname(__DIR__, 2) . '/victim/private/database.php') ? 'victim-secret' : 'none';`,
	"fifo":         `include __DIR__ . '/pipe'; $stolen = file_get_contents(__DIR__ . '/pipe');`,
	"kmsg":         `include '/proc/kmsg'; $stolen = 'none';`,
	"kmsglink":     `include __DIR__ . '/kmsg.php'; $stolen = 'none';`,
	"device":       `include '/dev/zero'; include '/dev/tty'; $stolen = 'none';`,
	"dbfifo":       `define('FQDB', __DIR__ . '/pipe'); $stolen = 'none';`,
	"dbofvictim":   `define('FQDB', dirname(__DIR__, 2) . '/victim/htdocs/site.sqlite'); $stolen = 'none';`,
	"configfifo":   "",
	"configkmsg":   "",
	"configvictim": "",
}

// unreadable are those that have no site of their own to serve.
var unreadable = map[string]bool{"dbfifo": true, "dbofvictim": true, "configfifo": true, "configkmsg": true, "configvictim": true}

// tenants makes installs of hostile people beside two of others, and returns the folder.
func tenants(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	install := func(name, code string) {
		t.Helper()
		put(name+"/htdocs/wp-config.php", "<?php\n"+code+`
			define('WP_CONTENT_URL', 'https://cdn.example/' . $stolen);
			define('DB_ENGINE', 'sqlite'); define('DB_DIR', __DIR__); define('DB_FILE', 'site.sqlite'); $table_prefix = 'wp_';`)
		must(sample.Create(t.Context(), filepath.Join(dir, name, "htdocs", "site.sqlite"), "https://"+name+".example"))
	}
	install("good", `require dirname(__DIR__) . '/own.php'; $stolen = env('OWN') . SHARED;`)
	put("good/own.php", "<?php define('SHARED', '-shared');")
	put("good/.env", "OWN=mark\n")
	install("victim", `define('DB_PASSWORD', 'victim-secret'); $stolen = 'mine';`)
	put("victim/private/database.php", "<?php define('DB_PASSWORD', 'victim-secret');")
	put("victim/.env", "VICTIM_PASSWORD=victim-secret\n")
	for name, code := range hostile {
		install(name, code)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	must(os.Symlink("../../victim/htdocs/wp-config.php", at("link/htdocs/link.php")))
	must(os.Symlink("../../victim/htdocs", at("linkfolder/htdocs/folder")))
	must(os.Symlink("../victim/.env", at("linkedenv/.env")))
	put("nested/.env", "NESTED=\"${SECRET_TOKEN}${DB_PASSWORD}\"\n")
	must(syscall.Mkfifo(at("fifo/htdocs/pipe"), 0o600))
	must(syscall.Mkfifo(at("dbfifo/htdocs/pipe"), 0o600))
	must(os.Symlink("/proc/kmsg", at("kmsglink/htdocs/kmsg.php")))
	for _, name := range []string{"configfifo", "configkmsg", "configvictim"} {
		must(os.Remove(at(name + "/htdocs/wp-config.php")))
	}
	must(syscall.Mkfifo(at("configfifo/htdocs/wp-config.php"), 0o600))
	must(os.Symlink("/proc/kmsg", at("configkmsg/htdocs/wp-config.php")))
	must(os.Symlink("../../victim/htdocs/wp-config.php", at("configvictim/htdocs/wp-config.php")))
	return dir
}

// What a wp-config.php of strangers says gets nothing of other sites or of the daemon into a sitemap, and stops
// neither its start nor its end; found by a pattern or named in the configuration.
func TestHostileTenants(t *testing.T) {
	discovered := "[[discover]]\nwp_config = \"DIR/*/htdocs/wp-config.php\"\n"
	var named strings.Builder
	fmt.Fprintln(&named, "[[site]]\nname = \"good\"\nwp_config = \"DIR/good/htdocs/wp-config.php\"")
	for name := range hostile {
		fmt.Fprintf(&named, "[[site]]\nname = %q\nwp_config = \"DIR/%s/htdocs/wp-config.php\"\n", name, name)
	}
	secret := regexp.MustCompile(`victim-secret|daemon-secret`)
	for _, tt := range []struct{ name, sites string }{{"discovered", discovered}, {"configured", named.String()}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tenants(t)
			container := filepath.Join(t.TempDir(), "password")
			if err := os.WriteFile(container, []byte("daemon-secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			config := write(t, t.TempDir(), "listen = \"127.0.0.1:0\"\nadmin = \"\"\n"+strings.ReplaceAll(tt.sites, "DIR", dir)+
				siteTOML("other", gazette(t), "hosts = [\"${DB_SHARED_PASSWORD}.example\"]"))
			c := spawn(t, config, []string{
				"SECRET_TOKEN=daemon-secret", "REDIS_PASSWORD=daemon-secret", "WPSITEMAPD_ADMIN_TOKEN=daemon-secret",
				"CREDENTIALS_DIRECTORY=/daemon-secret", "DB_SHARED_PASSWORD=daemon-secret", "DB_PASSWORD=daemon-secret",
				"WP_AUTH_KEY=daemon-secret", "WORDPRESS_DB_PASSWORD_FILE=" + container,
			})
			address := "http://" + match(t, &c.log, `listening.* address=(\S+)`)
			deadline := time.Now().Add(4 * time.Minute)
			fetch := func(site string) (all string) {
				status, index := get(t, address+"/sitemap_index.xml", site+".example")
				for status != http.StatusOK && !unreadable[site] { // many sites are read at once
					if time.Now().After(deadline) {
						t.Fatalf("%s is not served\n%s", site, &c.log)
					}
					time.Sleep(100 * time.Millisecond)
					status, index = get(t, address+"/sitemap_index.xml", site+".example")
				}
				if status != http.StatusOK {
					return ""
				}
				for _, m := range regexp.MustCompile(`<loc>https://[^/]*(/[^<]*)</loc>`).FindAllStringSubmatch(index, -1) {
					_, page := get(t, address+m[1], site+".example")
					all += page
				}
				return all
			}
			if all := fetch("good"); !strings.Contains(all, "<image:loc>https://cdn.example/mark-shared/uploads/") {
				t.Errorf("the site that reads its own files has no image below its WP_CONTENT_URL\n%.2000s\n%s", all, &c.log)
			}
			for name := range hostile {
				if m := secret.FindString(fetch(name)); m != "" {
					t.Errorf("%s shows a %s", name, m)
				}
			}
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := c.code(t, 30*time.Second); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if m := regexp.MustCompile(`victim-secret|=daemon-secret`).FindString(c.log.String()); m != "" {
				t.Errorf("the log shows %s\n%s", m, &c.log)
			}
		})
	}
}
