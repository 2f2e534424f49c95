package wp

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/wp/wpconfig"
)

// byFile maps the names of the plugins' files to the plugins, as active_plugins names them when they come from where
// plugins come from: an archive of their source code, or an administrator, gives the folder another name; the file keeps
// its own. Of two with one name the first counts.
func byFile(plugins []string) map[string]string {
	known := map[string]string{}
	for _, p := range plugins {
		if file := path.Base(p); known[file] == "" {
			known[file] = p
		}
	}
	return known
}

// commonFiles are names of files that other plugins have, too: theirs count where the folder's name at least begins as it should.
var commonFiles = []string{"woocommerce.php", "sitemap.php", "xml-sitemap.php", "redirection.php", "init.php"}

// otherPlugins are not what the name of their file says.
var otherPlugins = []string{"wp-seo/wp-seo.php"} // of Alley Interactive

// knownPlugin returns the name under which a plugin is known, "" for any other one.
func (d *Declared) knownPlugin(plugin string) string {
	if name := d.plugins[path.Base(plugin)]; name != "" && IsPlugin(plugin, name) {
		return name
	}
	return ""
}

// IsPlugin reports whether an entry of active_plugins is a plugin, which may be in a folder of another name.
func IsPlugin(entry, plugin string) bool {
	file := path.Base(plugin)
	switch {
	case entry == plugin:
		return true
	case path.Base(entry) != file || slices.Contains(otherPlugins, entry):
		return false
	}
	return !slices.Contains(commonFiles, file) || strings.HasPrefix(entry, path.Dir(plugin))
}

// activePlugins are the plugins that are active on a blog: its own, those of its network, and those that must be used. Known
// ones are there under the name by which they are known, too.
func (s *Blog) activePlugins(o options) map[string]bool {
	active := map[string]bool{}
	add := func(plugin string) {
		active[plugin] = true
		if known := s.network.declared.knownPlugin(plugin); known != "" {
			active[known] = true
		}
	}
	for _, p := range o.serialized("active_plugins", s.Notice).Strings() {
		add(p)
	}
	for p := range s.network.activePlugins {
		add(p)
	}
	for _, p := range s.mustUse(o) {
		add(p)
	}
	return active
}

// HasUnknownPlugin reports whether a plugin is active of which nothing is known here: it may register any type.
func (s *Blog) HasUnknownPlugin() bool {
	for plugin := range s.set.ActivePlugins {
		if s.network.declared.knownPlugin(plugin) == "" {
			return true
		}
	}
	return false
}

const (
	optionAutoloader = "bedrock_autoloader" // what Bedrock's loader of must-use plugins found, by their names
	muFolder         = "mu-plugins"
	mostLoaders      = 100     // files of must-use plugins that are read
	mostLoaded       = 8 << 20 // bytes of them
)

// loadsAll are texts of files that load whatever must-use plugins there are.
var loadsAll = []string{"Autoloader", "get_plugins", "glob(", "scandir(", "opendir(", "DirectoryIterator"}

// mustUse finds those known plugins that must be used. WordPress runs every file right in the folder of such plugins,
// and no list names them; those in folders of their own are run by such a file. Where the folder is not known, or may
// not be read, what Bedrock's loader has noted in the database counts.
func (s *Blog) mustUse(o options) []string {
	if s.walk != nil && s.walk.mustUseRead {
		return s.walk.mustUse
	}
	noted := o.serialized(optionAutoloader, func(string) {})
	if s.network.multisite {
		noted = s.network.meta.serialized(optionAutoloader, func(string) {})
	}
	var plugins []string
	for _, p := range noted.Get("plugins").Pairs() {
		plugins = append(plugins, p.Key.String())
	}
	return plugins
}

// readMustUse returns the known plugins in the folder of must-use plugins; read is false where it is not known or cannot be read.
func (n *Network) readMustUse() (plugins []string, read bool) {
	if n.config == nil {
		return nil, false
	}
	root := cmp.Or(n.constant("ABSPATH"), filepath.Dir(n.config.File))
	content := cmp.Or(n.constant("WP_CONTENT_DIR"), filepath.Join(root, "wp-content"))
	dir := cmp.Or(n.constant("WPMU_PLUGIN_DIR"), filepath.Join(content, muFolder))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	return n.declared.installed(dir, entries), true
}

// installed lists the known plugins in a folder of must-use plugins that are run.
func (d *Declared) installed(dir string, entries []os.DirEntry) []string {
	var loaders []string // the text of the files that are run
	read := 0
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".php" || len(loaders) == mostLoaders {
			continue
		}
		text, err := wpconfig.ReadRegular(filepath.Join(dir, e.Name()))
		if read += len(text); err != nil || read > mostLoaded {
			continue
		}
		loaders = append(loaders, string(text))
	}
	var plugins []string
	for _, e := range entries {
		for file := range d.plugins {
			plugin := e.Name() + "/" + file
			if d.knownPlugin(plugin) == "" || !runs(loaders, file) {
				continue
			}
			if info, err := os.Stat(filepath.Join(dir, plugin)); err == nil && info.Mode().IsRegular() {
				plugins = append(plugins, plugin)
			}
		}
	}
	return plugins
}

// runs reports whether a file is named by one of the loaders, or one of them runs all there are.
func runs(loaders []string, file string) bool {
	return slices.ContainsFunc(loaders, func(text string) bool {
		return strings.Contains(text, "/"+file) || slices.ContainsFunc(loadsAll, func(s string) bool { return strings.Contains(text, s) })
	})
}
