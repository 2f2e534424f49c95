// Package servertest contains what tests of several packages need: a browser, a search engine, Redis, and a test of
// what every kind of store promises.
package servertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// BrowserOptions are the options that a browser takes at its start only.
type BrowserOptions struct {
	NoXSLT bool // without XSLT, which browsers will remove
}

// Browser is a running headless Chromium with one open page. Tests drive it over its debugging pipe, without a driver
// program or module. It has its own profile, asks no other server than the test's, and ends with the test.
type Browser struct {
	t testing.TB
	*chromium
}

// StartBrowser starts a browser. If none is installed, the test is skipped. If WPSITEMAPD_BROWSERS is "required", as in
// .ci/run, the test fails instead.
func StartBrowser(t testing.TB, opt BrowserOptions) *Browser {
	t.Helper()
	program := wptest.Program(t, "WPSITEMAPD_BROWSERS", "chromium", "chromium-browser", "google-chrome")
	c, err := startChromium(program, t.TempDir(), opt)
	if err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	t.Cleanup(c.close)
	return &Browser{t, c}
}

// Open opens an address and waits until the page has loaded.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.check("opening "+url, b.open(url))
}

// Eval runs a script as the body of a function in the page, and decodes the result into v.
func (b *Browser) Eval(script string, v any) {
	b.t.Helper()
	result, err := b.eval(script)
	b.check("running "+script, err)
	b.check("reading the result of "+script, json.Unmarshal(result, v))
}

// Click clicks on a link or button, and waits until the next page has loaded. element is a JavaScript expression for it.
func (b *Browser) Click(element string) {
	b.t.Helper()
	b.check("clicking on "+element, b.click(element))
}

// Size sets the size of the page in CSS pixels. Like a real phone, a phone shows a page without a declared width as if
// it were 980 wide.
func (b *Browser) Size(width, height int, phone bool) {
	b.t.Helper()
	b.check("sizing the page", b.size(width, height, phone))
}

// Dark sets whether the user prefers dark colours.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	b.check("choosing colours", b.dark(dark))
}

// Screenshot writes a PNG of the page to a file.
func (b *Browser) Screenshot(file string) {
	b.t.Helper()
	png, err := b.screenshot()
	b.check("taking a screenshot", err)
	b.write(file, png)
}

func (b *Browser) write(file string, data []byte) {
	b.t.Helper()
	b.check("writing", os.MkdirAll(filepath.Dir(file), 0o755))
	b.check("writing", os.WriteFile(file, data, 0o644))
}

func (b *Browser) check(what string, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// process starts a browser in its own process group, with its home in dir. So end can stop the browser with everything it has started.
func process(program, dir string, args []string, pipes ...*os.File) (*exec.Cmd, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "TMPDIR="+dir)
	cmd.ExtraFiles = pipes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, cmd.Start()
}

// end stops a browser, and waits until all of its processes have ended.
func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	for range 100 {
		if errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Look checks a page on a phone and on a desktop, in light and dark colours. The page must not be wider than the
// window, except for parts that scroll. Its text must have a contrast of at least 4.5. elements is an expression for
// the elements whose contrast counts. seen is a function that tells whether an element is visible. Look calls each for
// further checks.
func (b *Browser) Look(page, elements, seen string, each func(at string)) {
	b.t.Helper()
	for _, size := range []struct {
		width, height int
		phone, dark   bool
	}{{320, 640, true, false}, {360, 740, true, true}, {1280, 800, false, true}, {1280, 800, false, false}} {
		b.Size(size.width, size.height, size.phone)
		b.Dark(size.dark)
		var l struct {
			Wide, Contrast float64
			Outside        []string // elements that are too far right
			Faint          string   // the element with the least contrast
		}
		b.Eval(leastContrast+`
			const seen = `+seen+`, scroller = document.scrollingElement || document.documentElement;
			const wide = scroller.scrollWidth - scroller.clientWidth;
			const outside = [...document.querySelectorAll("body *")].
				filter(e => wide > 0 && seen(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, .scroll"));
			return {wide, outside: outside.slice(0, 5).map(e => e.localName + "." + e.className), ...leastContrast(`+elements+`, seen)};`, &l)
		at := fmt.Sprintf("%s at %d pixels, dark %v", page, size.width, size.dark)
		if l.Wide > 0 {
			b.t.Errorf("%s: %v pixels too wide: %q", at, l.Wide, l.Outside)
		}
		if l.Contrast < 4.5 {
			b.t.Errorf("%s: contrast of %.1f at %s", at, l.Contrast, l.Faint)
		}
		each(at)
	}
}

// leastContrast defines a JavaScript function. It returns the least contrast (WCAG 2) between the text of some elements
// and their background, and the element that has it. It ignores elements that are not visible.
const leastContrast = `
	const leastContrast = (elements, seen) => {
		const luminance = c => {
			const l = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
		};
		const numbers = c => c.match(/[\d.]+/g).map(Number);
		const behind = e => {
			for (; e; e = e.parentElement) {
				const c = numbers(getComputedStyle(e).backgroundColor);
				if (c.length < 4 || c[3] > 0) return c;
			}
			return [255, 255, 255];
		};
		let contrast = 21, faint = "";
		for (const e of elements) {
			if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || !seen(e)) continue;
			const style = getComputedStyle(e);
			const a = luminance(numbers(e instanceof SVGElement ? style.fill : style.color)), b = luminance(behind(e));
			const c = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (c < contrast) { contrast = c; faint = e.localName + "." + e.getAttribute("class"); }
		}
		return {contrast, faint};
	};`
