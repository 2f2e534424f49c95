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

// byFile maps the name of each plugin's file to the usual entry of the plugin in active_plugins. The folder may have
// another name, if the plugin was installed from an archive of its source or renamed. The file keeps its name. If two
// plugins have files of one name, the first counts.
func byFile(plugins []string) map[string]string {
	known := map[string]string{}
	for _, p := range plugins {
		if file := path.Base(p); known[file] == "" {
			known[file] = p
		}
	}
	return known
}

// commonFiles are file names that other plugins use too. Such a file counts only if the name of its folder begins with
// the usual folder name.
var commonFiles = []string{"woocommerce.php", "sitemap.php", "xml-sitemap.php", "redirection.php", "init.php"}

// otherPlugins are plugins whose file has the name of another plugin's file.
var otherPlugins = []string{"wp-seo/wp-seo.php"} // of Alley Interactive

// knownPlugin returns the usual entry of a plugin, or "" if the plugin is not known.
func (d *Declared) knownPlugin(plugin string) string {
	if name := d.plugins[path.Base(plugin)]; name != "" && isPlugin(plugin, name) {
		return name
	}
	return ""
}

// isPlugin reports whether an entry of active_plugins stands for a plugin. The folder in the entry may have another
// name.
func isPlugin(entry, plugin string) bool {
	file := path.Base(plugin)
	switch {
	case entry == plugin:
		return true
	case path.Base(entry) != file || slices.Contains(otherPlugins, entry):
		return false
	}
	return !slices.Contains(commonFiles, file) || strings.HasPrefix(entry, path.Dir(plugin))
}

// activePlugins returns the active plugins of a blog: its own, those of its network, and the must-use plugins. A known
// plugin is in the result under its usual entry too.
func (r *reading) activePlugins() map[string]bool {
	active := map[string]bool{}
	add := func(plugin string) {
		active[plugin] = true
		if known := r.blog.network.declared.knownPlugin(plugin); known != "" {
			active[known] = true
		}
	}
	for _, p := range r.array("active_plugins").Strings() {
		add(p)
	}
	for p := range r.blog.network.shared.activePlugins {
		add(p)
	}
	for _, p := range r.mustUse() {
		add(p)
	}
	return active
}

// HasUnknownPlugin reports whether an unknown plugin is active. Such a plugin may register any type.
func (b *Blog) HasUnknownPlugin() bool {
	for plugin := range b.set.ActivePlugins {
		if b.network.declared.knownPlugin(plugin) == "" {
			return true
		}
	}
	return false
}

const (
	optionAutoloader = "bedrock_autoloader" // the must-use plugins that Bedrock's loader has found
	muFolder         = "mu-plugins"
	mostLoaders      = 100     // most files of must-use plugins that are read
	mostLoaded       = 8 << 20 // most bytes of these files
)

// loadsAll are texts that show that a file loads all must-use plugins in its folder.
var loadsAll = []string{"Autoloader", "get_plugins", "glob(", "scandir(", "opendir(", "DirectoryIterator"}

// mustUse returns the known must-use plugins. WordPress runs every file directly in their folder, and no option lists
// these files. A plugin in a folder of its own is run by such a file.
//
// If the folder is not known or cannot be read, mustUse returns what Bedrock's loader has stored.
func (r *reading) mustUse() []string {
	if r.walk.mustUseRead {
		return r.walk.mustUse
	}
	noted := r.options.serialized(optionAutoloader, func(string) {})
	if r.blog.network.multisite {
		noted = r.blog.network.shared.meta.serialized(optionAutoloader, func(string) {})
	}
	var plugins []string
	for _, p := range noted.Get("plugins").Pairs() {
		plugins = append(plugins, p.Key.String())
	}
	return plugins
}

// readMustUse returns the known plugins in the folder of must-use plugins. read is false if the folder is not known or
// cannot be read.
func (n *Network) readMustUse() (plugins []string, read bool) {
	if n.config == nil {
		return nil, false
	}
	root := cmp.Or(n.constant("ABSPATH"), filepath.Dir(n.config.File))
	content := cmp.Or(n.constant("WP_CONTENT_DIR"), filepath.Join(root, "wp-content"))
	dir := cmp.Or(n.constant("WPMU_PLUGIN_DIR"), filepath.Join(content, muFolder))
	entries, err := wpconfig.ReadFolder(dir)
	if err != nil {
		return nil, false
	}
	return n.declared.installed(dir, entries), true
}

// installed returns the known plugins in dir, a folder of must-use plugins, that a file in dir runs. entries are the
// names in dir.
func (d *Declared) installed(dir string, entries []os.DirEntry) []string {
	var loaders []string // the texts of the files that WordPress runs
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

// runs reports whether one of the loaders names a file or loads all files.
func runs(loaders []string, file string) bool {
	return slices.ContainsFunc(loaders, func(text string) bool {
		return strings.Contains(text, "/"+file) || slices.ContainsFunc(loadsAll, func(s string) bool { return strings.Contains(text, s) })
	})
}
