package owner

import (
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
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

// guess is where an install is by its files alone, until its database is read. It is sure
// where WordPress itself goes by it, and else may be wrong: by the host of WordPress' own files,
// or by a folder that has the name of a host.
// It is nothing where nobody has looked yet.
func guess(f *site.Files) (p Place, from string, sure bool) {
	if f == nil {
		return Place{}, "", false
	}
	if host, path := weburl.Split(f.Home); host != "" {
		return PlaceOf(host, path), "wp-config.php", true
	}
	if host, _ := weburl.Split(f.SiteURL); host != "" {
		return PlaceOf(host, ""), "WP_SITEURL", false
	}
	for _, folder := range slices.Backward(f.Folders) {
		if looksLikeHost(folder.Name) {
			return PlaceOf(weburl.Host(folder.Name), ""), "its folder", false
		}
	}
	return Place{}, "", false
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
func namedAfter(f *site.Files, host string) bool {
	if f == nil {
		return false
	}
	for _, folder := range f.Folders {
		if name := weburl.Host(folder.Name); strings.TrimPrefix(name, "www.") == strings.TrimPrefix(host, "www.") {
			return true
		}
	}
	return false
}

// oldest returns which of some installs was there first by all signs, -1 where they do not show it.
func oldest(host string, installs []*site.Files) int {
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
func firstBorn(installs []*site.Files) int {
	part := 0
	for ; ; part++ {
		same := true
		for _, f := range installs {
			if f == nil || len(f.Folders) == 0 {
				return -1
			}
			same = same && part < len(f.Folders) && part < len(installs[0].Folders) && f.Folders[part].Name == installs[0].Folders[part].Name
		}
		if !same {
			break
		}
	}
	times := make([]time.Time, len(installs))
	for i, f := range installs {
		times[i] = f.Folders[min(part, len(f.Folders)-1)].Born
	}
	return earliest(times, bornApart)
}

func firstEdited(installs []*site.Files) int {
	times := make([]time.Time, len(installs))
	for i, f := range installs {
		if f != nil {
			times[i] = f.Edited
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

func onlyNamed(host string, installs []*site.Files) int {
	only := -1
	for i, f := range installs {
		if namedAfter(f, host) {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}
