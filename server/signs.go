package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// Signs of which of two installs with one address was there first. Nothing in their databases
// tells: a copy has the dates of the original. What differs is where and since when their files
// lie. Each sign can mislead, so those that say something have to say the same:
//
//   - the folder in which their paths part is younger by a day or more. It may have been made
//     anew when everything moved to another machine, and then for all of them within a day;
//   - wp-config.php was written later, since a copy gets another database. It may have been
//     edited in the original meanwhile;
//   - the folder of one of them is named after the host.
const (
	bornApart   = 24 * time.Hour
	editedApart = time.Minute // a deployment writes several in a row
)

// signs are what the files of an install tell.
type signs struct {
	folders []folder  // from the root to that of wp-config.php
	edited  time.Time // wp-config.php; zero: not known
	home    string    // the address in wp-config.php; ""
	siteURL string    // where WordPress itself lives by it, which may be another path; ""
}

type folder struct {
	name string
	born time.Time // zero: not known
}

// readSigns looks at the files of a site.
func readSigns(ctx context.Context, install *config.Site) *signs {
	s := &signs{}
	if install.WPConfig == "" {
		return s
	}
	path := install.WPConfig
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "wp-config.php")
	}
	if info, err := os.Stat(path); err == nil {
		s.edited = info.ModTime()
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		s.folders = append([]folder{{filepath.Base(dir), born(dir)}}, s.folders...)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	s.home, s.siteURL = wp.HomeInConfig(ctx, site.SourceOf(install))
	return s
}

// guess is where an install stands by its files alone, until its database is read. It is sure
// where WordPress itself goes by it, and else may be wrong: by the host of WordPress' own files,
// or by a folder that has the name of a host.
func (s *signs) guess() (p hostPath, from string, sure bool) {
	if host, path := weburl.Split(s.home); host != "" {
		return hostPathOf(host, path), "wp-config.php", true
	}
	if host, _ := weburl.Split(s.siteURL); host != "" {
		return hostPathOf(host, ""), "WP_SITEURL", false
	}
	for _, f := range slices.Backward(s.folders) {
		if looksLikeHost(f.name) {
			return hostPathOf(weburl.Host(f.name), ""), "its folder", false
		}
	}
	return hostPath{}, "", false
}

// notHosts are ends of folder names with a dot that are no domains.
var notHosts = []string{"old", "bak", "backup", "orig", "save", "tmp", "git", "zip", "d", "dist", "copy", "new", "disabled"}

// looksLikeHost reports whether a folder is named after a host.
func looksLikeHost(name string) bool {
	host := weburl.Host(name)
	var h config.Host
	i := strings.LastIndexByte(host, '.')
	if i <= 0 || h.UnmarshalText([]byte(name)) != nil {
		return false
	}
	end := host[i+1:]
	if len(end) < 2 || strings.Trim(end, "0123456789") == "" {
		return false
	}
	return !slices.Contains(notHosts, end)
}

// namedAfter reports whether a folder of the install has the name of the host, with or without www.
func (s *signs) namedAfter(host string) bool {
	if s == nil {
		return false
	}
	for _, f := range s.folders {
		if name := weburl.Host(f.name); strings.TrimPrefix(name, "www.") == strings.TrimPrefix(host, "www.") {
			return true
		}
	}
	return false
}

// oldest returns which of some installs was there first by all signs, -1 where they do not tell.
func oldest(host string, installs []*signs) int {
	winner := -1
	for _, vote := range []int{firstBorn(installs), firstEdited(installs), onlyNamed(host, installs)} {
		switch {
		case vote < 0 || vote == winner:
		case winner >= 0:
			return -1 // they contradict each other
		default:
			winner = vote
		}
	}
	return winner
}

// firstBorn compares the folders in which the paths part.
func firstBorn(installs []*signs) int {
	part := 0
	for ; ; part++ {
		same := true
		for _, s := range installs {
			if s == nil || len(s.folders) == 0 {
				return -1
			}
			same = same && part < len(s.folders) && part < len(installs[0].folders) && s.folders[part].name == installs[0].folders[part].name
		}
		if !same {
			break
		}
	}
	times := make([]time.Time, len(installs))
	for i, s := range installs {
		times[i] = s.folders[min(part, len(s.folders)-1)].born
	}
	return earliest(times, bornApart)
}

func firstEdited(installs []*signs) int {
	times := make([]time.Time, len(installs))
	for i, s := range installs {
		if s != nil {
			times[i] = s.edited
		}
	}
	return earliest(times, editedApart)
}

// earliest returns which time is earlier than all others by that much, -1 for none.
func earliest(times []time.Time, apart time.Duration) int {
	first := 0
	for i, t := range times {
		if t.IsZero() {
			return -1
		}
		if t.Before(times[first]) {
			first = i
		}
	}
	for i, t := range times {
		if i != first && t.Sub(times[first]) < apart {
			return -1
		}
	}
	return first
}

func onlyNamed(host string, installs []*signs) int {
	only := -1
	for i, s := range installs {
		if s.namedAfter(host) {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}
