package browsertest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// firefox speaks Marionette over a loopback port: JSON, each message with its length and a
// colon before it.
type firefox struct {
	cmd  *exec.Cmd
	conn net.Conn
	in   *bufio.Reader
	id   int
}

// preferences keep Firefox from asking other servers than the test's.
var preferences = map[string]any{
	"marionette.port":                                             0, // a free one
	"network.proxy.type":                                          0,
	"network.captive-portal-service.enabled":                      false,
	"network.connectivity-service.enabled":                        false,
	"network.dns.disablePrefetch":                                 true,
	"app.normandy.enabled":                                        false,
	"app.update.disabledForTesting":                               true,
	"browser.safebrowsing.malware.enabled":                        false,
	"browser.safebrowsing.phishing.enabled":                       false,
	"browser.shell.checkDefaultBrowser":                           false,
	"browser.startup.page":                                        0,
	"datareporting.policy.dataSubmissionEnabled":                  false,
	"extensions.systemAddon.update.enabled":                       false,
	"extensions.update.enabled":                                   false,
	"services.settings.server":                                    "data:,#",
	"toolkit.telemetry.reportingpolicy.firstRun":                  false,
	"browser.newtabpage.activity-stream.feeds.section.topstories": false,
}

func startFirefox(program, dir string, opt Options) (driver, error) {
	profile := filepath.Join(dir, "profile")
	if err := os.Mkdir(profile, 0o755); err != nil {
		return nil, err
	}
	var text strings.Builder
	for name, value := range preferences {
		v, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "user_pref(%q, %s);\n", name, v)
	}
	fmt.Fprintf(&text, "user_pref(\"dom.xslt.enabled\", %v);\n", !opt.NoXSLT)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	cmd, err := process(program, dir,
		[]string{"--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", profile, "about:blank"})
	if err != nil {
		return nil, err
	}
	f := &firefox{cmd: cmd}
	if err := f.connect(filepath.Join(profile, "MarionetteActivePort")); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *firefox) connect(portFile string) error {
	port := ""
	for end := time.Now().Add(patience); port == ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("it opens no port")
		}
		text, _ := os.ReadFile(portFile) // absent until the port is open
		port = strings.TrimSpace(string(text))
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", port), patience)
	if err != nil {
		return err
	}
	f.conn, f.in = conn, bufio.NewReader(conn)
	if _, err := f.receive(); err != nil { // its greeting
		return err
	}
	return f.call("WebDriver:NewSession", map[string]any{}, nil)
}

func (f *firefox) receive() ([]byte, error) {
	if err := f.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	length, err := f.in.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		return nil, err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(f.in, text)
	return text, err
}

func (f *firefox) call(method string, params map[string]any, result any) error {
	f.id++
	text, err := json.Marshal([]any{0, f.id, method, params})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(text), text); err != nil {
		return err
	}
	answer, err := f.receive()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var failure *struct{ Error, Message string }
	var value struct{ Value json.RawMessage }
	if err := json.Unmarshal(answer, &[]any{new(int), new(int), &failure, &value}); err != nil {
		var whole json.RawMessage // some answers are no object
		if err := json.Unmarshal(answer, &[]any{new(int), new(int), &failure, &whole}); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	if failure != nil {
		return fmt.Errorf("%s: %s: %s", method, failure.Error, failure.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(value.Value, result)
}

func (f *firefox) open(url string) error {
	return f.call("WebDriver:Navigate", map[string]any{"url": url}, nil)
}

func (f *firefox) eval(script string) (json.RawMessage, error) {
	var result json.RawMessage
	err := f.call("WebDriver:ExecuteScript", map[string]any{"script": script, "args": []any{}}, &result)
	return result, err
}

// elementKey is how the WebDriver standard marks a reference to an element.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

func (f *firefox) click(element string) error {
	id, err := f.find(element)
	if err != nil {
		return err
	}
	// it waits for the page by itself
	return f.call("WebDriver:ElementClick", map[string]any{"id": id}, nil)
}

func (f *firefox) choose(element, file string) error {
	id, err := f.find(element)
	if err != nil {
		return err
	}
	return f.call("WebDriver:ElementSendKeys", map[string]any{"id": id, "text": file}, nil)
}

// find returns the reference to an element.
func (f *firefox) find(element string) (id string, err error) {
	var found map[string]string
	err = f.call("WebDriver:ExecuteScript", map[string]any{"script": "return " + element, "args": []any{}}, &found)
	return found[elementKey], err
}

// privileged runs a script that may change the browser itself.
func (f *firefox) privileged(script string, args ...any) error {
	if err := f.call("Marionette:SetContext", map[string]any{"value": "chrome"}, nil); err != nil {
		return err
	}
	if args == nil {
		args = []any{}
	}
	err := f.call("WebDriver:ExecuteScript", map[string]any{"script": script, "args": args}, nil)
	return errors.Join(err, f.call("Marionette:SetContext", map[string]any{"value": "content"}, nil))
}

// size sets the size of what shows the page: a window itself cannot be as narrow as a
// telephone.
func (f *firefox) size(width, height int, _ bool) error {
	err := f.privileged(`
		const style = gBrowser.selectedBrowser.style;
		for (const [name, value] of [["width", arguments[0]], ["height", arguments[1]]]) {
			style.setProperty("min-" + name, value + "px", "important");
			style.setProperty("max-" + name, value + "px", "important");
		}`, width, height)
	if err != nil {
		return err
	}
	for range 100 {
		v, err := f.eval("return innerWidth")
		if err != nil || string(v) == strconv.Itoa(width) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the page does not take the size")
}

func (f *firefox) dark(dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return f.privileged(`gBrowser.selectedBrowser.browsingContext.top.prefersColorSchemeOverride = arguments[0]`, scheme)
}

func (f *firefox) print() ([]byte, error) {
	var pdf []byte
	err := f.call("WebDriver:Print", map[string]any{}, &pdf)
	return pdf, err
}

func (f *firefox) screenshot() ([]byte, error) {
	var png []byte
	err := f.call("WebDriver:TakeScreenshot", map[string]any{"full": false}, &png)
	return png, err
}

func (f *firefox) close() {
	if f.conn != nil {
		f.conn.Close()
	}
	end(f.cmd)
}
