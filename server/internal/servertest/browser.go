// Package servertest contains what tests of several packages need: a browser, a search engine, Redis, and a test of
// what every kind of store promises.
package servertest

import (
	"bufio"
	"bytes"
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

// Browser is a running headless Chromium with one open page. Tests drive it with the DevTools protocol over two pipes, without a
// driver program or module. It has its own profile, asks no other server than the test's, and ends with the test. If it does not
// do what a test wants, the test ends.
type Browser struct {
	t        testing.TB
	out      *os.File
	messages chan message // closed after the browser has ended
	session  string       // the session of the page
	id       int          // of the last command
}

// message is an answer to a command, or an event. In a pipe, each message is JSON, followed by a zero byte.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"` // name of the event
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// params are the parameters of a command.
type params map[string]any

// StartBrowser starts a browser. If none is installed, the test is skipped. If WPSITEMAPD_BROWSERS is "required", as in
// .ci/run, the test fails instead.
func StartBrowser(t testing.TB, opt BrowserOptions) *Browser {
	t.Helper()
	program, dir := wptest.Program(t, "WPSITEMAPD_BROWSERS", "chromium", "chromium-browser", "google-chrome"), t.TempDir()
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-proxy-server", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir=" + dir,
	}
	if opt.NoXSLT {
		args = append(args, "--disable-features=XSLT")
	}
	theirs, out, err := os.Pipe()
	wptest.Must(t, err)
	in, theirOut, err := os.Pipe()
	wptest.Must(t, err)
	cmd := exec.Command(program, append(args, "about:blank")...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "TMPDIR="+dir)
	cmd.ExtraFiles = []*os.File{theirs, theirOut}
	process := wptest.Launch(t, new(wptest.Buffer), cmd)
	theirs.Close()
	theirOut.Close()
	b := &Browser{t: t, out: out, messages: make(chan message, 100)}
	go b.receive(in)
	t.Cleanup(func() {
		out.Close()
		process.Kill()
		// Its other processes may still write to dir.
		for range 100 {
			if errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		for range b.messages { // so that receive can end
		}
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", params{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", params{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	b.call("Page.enable", nil, nil)
	return b
}

func (b *Browser) receive(in *os.File) {
	defer in.Close()
	defer close(b.messages)
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) == nil {
			b.messages <- m
		}
	}
}

// send sends a command, and does not wait for its answer.
func (b *Browser) send(method string, p params) {
	b.t.Helper()
	if p == nil {
		p = params{}
	}
	b.id++
	request := map[string]any{"id": b.id, "method": method, "params": p}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	wptest.Must(b.t, err)
	_, err = b.out.Write(append(text, 0))
	wptest.Must(b.t, err)
}

// call sends a command, waits for its answer and decodes it into result, unless that is nil. Events that come before the answer
// are dropped.
func (b *Browser) call(method string, p params, result any) {
	b.t.Helper()
	b.send(method, p)
	m := b.wait(method, func(m message) bool { return m.ID == b.id })
	if m.Error != nil {
		b.t.Fatalf("%s %v: %s", method, p, m.Error.Message)
	}
	if result != nil {
		wptest.Must(b.t, json.Unmarshal(m.Result, result))
	}
}

// wait waits for a message.
func (b *Browser) wait(what string, wanted func(message) bool) message {
	b.t.Helper()
	late := time.After(wptest.Patience)
	for {
		select {
		case m, ok := <-b.messages:
			if !ok {
				b.t.Fatal(what + ": the browser has ended")
			}
			if wanted(m) {
				return m
			}
		case <-late:
			b.t.Fatal(what + ": no answer")
		}
	}
}

// loaded waits until the page that is opening has loaded.
func (b *Browser) loaded() {
	b.t.Helper()
	b.wait("loading a page", func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// Open opens an address and waits until the page has loaded.
func (b *Browser) Open(url string) {
	b.t.Helper()
	var result struct{ ErrorText string }
	b.call("Page.navigate", params{"url": url}, &result)
	if result.ErrorText != "" {
		b.t.Fatalf("opening %s: %s", url, result.ErrorText)
	}
	b.loaded()
}

// Eval runs a script as the body of a function in the page, and decodes the result into v.
func (b *Browser) Eval(script string, v any) {
	b.t.Helper()
	var result struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", params{"expression": "(() => {" + script + "})()", "returnByValue": true, "awaitPromise": true}, &result)
	if e := result.ExceptionDetails; e != nil {
		b.t.Fatalf("running %s: %s %s", script, e.Text, e.Exception.Description)
	}
	if err := json.Unmarshal(result.Result.Value, v); err != nil {
		b.t.Fatalf("reading the result of %s: %v", script, err)
	}
}

// Click clicks with the mouse in the middle of a link or button, and waits until the next page has loaded. element is a
// JavaScript expression for it.
func (b *Browser) Click(element string) {
	b.t.Helper()
	// the layout of the page may still be moving, so the script waits until the element keeps its place
	var at [2]float64
	b.Eval(`
		const e = `+element+`;
		return new Promise(done => {
			let before = "";
			const look = () => {
				e.scrollIntoView({block: "center", behavior: "instant"});
				const r = e.getClientRects()[0], at = [r.x + r.width / 2, r.y + r.height / 2];
				if (before == String(at)) return done(at);
				before = String(at);
				setTimeout(look, 100);
			};
			look();
		});`, &at)
	p := params{"type": "mousePressed", "x": at[0], "y": at[1], "button": "left", "clickCount": 1}
	b.call("Input.dispatchMouseEvent", p, nil)
	p["type"] = "mouseReleased"
	b.send("Input.dispatchMouseEvent", p) // its answer may come after the page has loaded
	b.loaded()
}

// Size sets the size of the page in CSS pixels. Like a real phone, a phone shows a page without a declared width as if
// it were 980 wide.
func (b *Browser) Size(width, height int, phone bool) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride",
		params{"width": width, "height": height, "mobile": phone, "screenWidth": width, "screenHeight": height, "deviceScaleFactor": 2}, nil)
}

// Dark sets whether the user prefers dark colours.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setEmulatedMedia", params{"features": []params{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Screenshot writes a PNG of the page to a file.
func (b *Browser) Screenshot(file string) {
	b.t.Helper()
	var result struct{ Data []byte } // base64, which encoding/json decodes
	b.call("Page.captureScreenshot", nil, &result)
	wptest.Must(b.t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, result.Data, 0o644)))
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
