package config

import "testing"

func TestTenantFolder(t *testing.T) {
	for _, tt := range []struct{ pattern, match, want string }{
		{"/var/www/*/htdocs/wp-config.php", "/var/www/a/htdocs/wp-config.php", "/var/www/a"},
		{"/var/www/*/wp-config.php", "/var/www/a/wp-config.php", "/var/www/a"},
		{"/srv/*/sites/s?[0-9]/web/wp-config.php", "/srv/x/sites/s12/web/wp-config.php", "/srv/x/sites/s12"},
		{"/srv/one/web/wp-config*.php", "/srv/one/web/wp-config.php", "/srv/one/web"},
		{"/srv/**/wp-config.php", "/srv/x/wp-config.php", "/srv/x"},
		{"/srv/**/wp-config.php", "/srv/x/y/z/wp-config.php", "/srv/x/y/z"},
		{"/srv/**/web/wp-config.php", "/srv/x/web/wp-config.php", "/srv/x/web"},
	} {
		if got := tenantFolder(tt.pattern, tt.match); got != tt.want {
			t.Errorf("%s, found by %s: %s, want %s", tt.match, tt.pattern, got, tt.want)
		}
	}
}
