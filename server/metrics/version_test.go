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
	if got, want := buildOf(info), (Build{"v1.2.3", "abc123", true, "go1.26.0"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := buildOf(&debug.BuildInfo{GoVersion: "go1.26.0"}), (Build{UnknownVersion, "unknown", false, "go1.26.0"}); got != want {
		t.Errorf("nothing is known: %+v, want %+v", got, want)
	}
	t.Cleanup(func() { linked = "" })
	linked = "1.2.4"
	expect.Equal(t, buildOf(info).Version, linked, "the linker's is", "and the program says")
}
