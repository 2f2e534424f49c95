package metrics

import (
	"runtime/debug"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.modified", Value: "true"},
	}}
	expect.Equal(t, buildOf(info), Build{"v1.2.3", "abc123", true, "go1.26.0"})
	expect.Equal(t, buildOf(&debug.BuildInfo{GoVersion: "go1.26.0"}), Build{UnknownVersion, "unknown", false, "go1.26.0"}, "nothing is known")
	t.Cleanup(func() { linked = "" })
	linked = "1.2.4"
	expect.Equal(t, buildOf(info).Version, linked, "the linker's is", "and the program says")
}
