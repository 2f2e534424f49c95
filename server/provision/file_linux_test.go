package provision

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wpsitemapd/wp/wptest"
)

// A user who exchanges a folder with a link while init runs gets neither the files nor the group of a neighbour into it.
func TestFolderThatIsRenamed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	m, dir := machine(t)
	for user, uid := range map[string]int{"victim": 61001, "mallory": 61002} {
		www := filepath.Join(dir, user, "www")
		write(t, filepath.Join(www, "wp-config.php"), "<?php define('WP_HOME', 'https://"+user+".test');")
		wptest.Must(t, os.Chmod(filepath.Join(www, "wp-config.php"), 0o640))
		for _, name := range []string{"..", ".", "wp-config.php"} {
			wptest.Must(t, os.Chown(filepath.Join(www, name), uid, uid))
		}
	}
	at, link := filepath.Join(dir, "mallory/www"), filepath.Join(dir, "mallory/link")
	wptest.Must(t, os.Symlink("../victim/www", link))
	wptest.Must(t, os.Lchown(link, 61002, 61002))
	stop := make(chan struct{})
	var w sync.WaitGroup
	w.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			}
		}
	})
	defer func() { close(stop); w.Wait() }()
	read, long := 0, 3*time.Second
	if testing.Short() {
		long /= 10
	}
	for end := time.Now().Add(long); time.Now().Before(end); {
		in, err := (&Setup{Machine: m, DryRun: true}).inspect(t.Context(), filepath.Join(at, "wp-config.php"), nil)
		switch {
		case err != nil:
		case in.home == "https://mallory.test":
			read++
		default:
			t.Fatalf("the home of the neighbour: %q", in.home)
		}
		if groups, _ := groupsFor(filepath.Join(at, "wp-config.php")); slices.Contains(groups, "61001") {
			t.Fatal("the group of the neighbour")
		}
	}
	if read == 0 {
		t.Error("not even the own file is read")
	}
}
