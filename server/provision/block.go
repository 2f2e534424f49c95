package provision

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// block is a part of a web server's configuration that serves the files of a folder: a server block or a <VirtualHost>.
type block struct {
	file   string
	line   int
	before string // the text of the file up to and including the beginning of the block
	root   string
	hosts  []string // in lower case
	ours   bool     // it mentions wpsitemapd
	robots bool     // it has its own location for robots.txt
}

// names reports whether the block serves a host. It makes no difference between names with and without www.
func (b *block) names(host string) bool {
	return slices.ContainsFunc(b.hosts, func(name string) bool { return bare(name) == bare(host) })
}

func (b *block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// blocks returns the blocks of a file that have a folder of their own. The folder of an inner block does not count. A
// server block that only redirects often has an inner location for certificates, with the root of another site.
func (k *serverKind) blocks(file, text string) (all []*block) {
	begins := k.begin.FindAllStringIndex(text, -1)
	for i, begin := range begins {
		next := len(text)
		if i+1 < len(begins) {
			next = begins[i+1][0]
		}
		own, whole := k.own(text[begin[1]:next])
		root := k.root.FindStringSubmatch(own)
		if root == nil {
			continue
		}
		b := &block{
			file: file, line: strings.Count(text[:begin[1]], "\n") + 1, before: text[:begin[1]], root: root[1],
			ours: strings.Contains(whole, "wpsitemapd"), robots: k.robots != nil && k.robots.MatchString(whole),
		}
		for _, names := range k.hosts.FindAllStringSubmatch(own, -1) {
			b.hosts = append(b.hosts, strings.Fields(strings.ToLower(names[1]))...)
		}
		all = append(all, b)
	}
	return all
}

// serving returns the blocks whose root is the nearest folder above a wp-config.php. If there are none, it returns the blocks
// whose root is directly below the folder of wp-config.php, because WordPress finds that file one folder above the root.
func (w *webServer) serving(wpConfig string) (all []*block) {
	dir, longest := resolved(filepath.Dir(wpConfig)), 0
	for _, b := range w.blocks {
		root := resolved(b.root)
		length := 0 // the length of a root above the install; 0 for a root below
		switch {
		case strings.HasPrefix(dir+"/", strings.TrimRight(root, "/")+"/"):
			length = len(root)
		case filepath.Dir(root) != dir:
			continue
		}
		if length > longest {
			longest, all = length, nil
		}
		if length == longest {
			all = append(all, b)
		}
	}
	return all
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
