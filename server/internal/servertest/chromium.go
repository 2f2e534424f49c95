package servertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"wpsitemapd/wp/wptest"
)

// chromium speaks the DevTools protocol over two pipes. Each message is JSON, followed by a zero byte.
type chromium struct {
	cmd      *exec.Cmd
	out      *os.File
	messages chan cdpMessage // closed after the browser has ended
	session  string          // the session of the page
	id       int
}

type cdpMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"` // name of the event
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func startChromium(program, dir string, opt BrowserOptions) (*chromium, error) {
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-proxy-server", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir=" + dir,
	}
	if opt.NoXSLT {
		args = append(args, "--disable-features=XSLT")
	}
	theirs, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd, err := process(program, dir, append(args, "about:blank"), theirs, theirOut)
	theirs.Close()
	theirOut.Close()
	if err != nil {
		return nil, err
	}
	c := &chromium{cmd: cmd, out: out, messages: make(chan cdpMessage, 100)}
	go c.receive(in)
	if err := c.attach(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *chromium) receive(in *os.File) {
	defer in.Close()
	defer close(c.messages)
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m cdpMessage
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) == nil {
			c.messages <- m
		}
	}
}

// attach opens a page and attaches to it.
func (c *chromium) attach() error {
	var target struct{ TargetID string }
	if err := c.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct{ SessionID string }
	if err := c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return err
	}
	c.session = session.SessionID
	return c.call("Page.enable", nil, nil)
}

// send sends a command, and does not wait for its answer.
func (c *chromium) send(method string, params map[string]any) error {
	if params == nil {
		params = map[string]any{}
	}
	c.id++
	request := map[string]any{"id": c.id, "method": method, "params": params}
	if c.session != "" {
		request["sessionId"] = c.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(text, 0))
	return err
}

// call sends a command and waits for its answer. Events that come before the answer are dropped.
func (c *chromium) call(method string, params map[string]any, result any) error {
	if err := c.send(method, params); err != nil {
		return err
	}
	m, err := c.wait(func(m cdpMessage) bool { return m.ID == c.id })
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if m.Error != nil {
		return fmt.Errorf("%s: %s", method, m.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

func (c *chromium) wait(wanted func(cdpMessage) bool) (cdpMessage, error) {
	late := time.After(wptest.Patience)
	for {
		select {
		case m, ok := <-c.messages:
			if !ok {
				return m, errors.New("the browser has ended")
			}
			if wanted(m) {
				return m, nil
			}
		case <-late:
			return cdpMessage{}, errors.New("no answer")
		}
	}
}

func (c *chromium) open(url string) error {
	var result struct{ ErrorText string }
	if err := c.call("Page.navigate", map[string]any{"url": url}, &result); err != nil {
		return err
	}
	if result.ErrorText != "" {
		return errors.New(result.ErrorText)
	}
	return c.loaded()
}

// loaded waits until the page that is opening has loaded.
func (c *chromium) loaded() error {
	_, err := c.wait(func(m cdpMessage) bool { return m.Method == "Page.loadEventFired" })
	return err
}

// click clicks with the mouse in the middle of an element.
func (c *chromium) click(element string) error {
	// the layout of the page may still be moving, so the script waits until the element keeps its place
	text, err := c.eval(`
		const e = ` + element + `;
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
		});`)
	if err != nil {
		return err
	}
	var at [2]float64
	if err := json.Unmarshal(text, &at); err != nil {
		return err
	}
	params := map[string]any{"type": "mousePressed", "x": at[0], "y": at[1], "button": "left", "clickCount": 1}
	if err := c.call("Input.dispatchMouseEvent", params, nil); err != nil {
		return err
	}
	params["type"] = "mouseReleased"
	// do not wait for this answer: it may come after the page has loaded
	if err := c.send("Input.dispatchMouseEvent", params); err != nil {
		return err
	}
	return c.loaded()
}

func (c *chromium) eval(script string) (json.RawMessage, error) {
	var result struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := c.call("Runtime.evaluate", map[string]any{"expression": "(() => {" + script + "})()", "returnByValue": true, "awaitPromise": true}, &result)
	if err != nil {
		return nil, err
	}
	if e := result.ExceptionDetails; e != nil {
		return nil, fmt.Errorf("%s %s", e.Text, e.Exception.Description)
	}
	return result.Result.Value, nil
}

func (c *chromium) size(width, height int, phone bool) error {
	return c.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "mobile": phone, "screenWidth": width, "screenHeight": height, "deviceScaleFactor": 2,
	}, nil)
}

func (c *chromium) dark(dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return c.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
}

func (c *chromium) screenshot() ([]byte, error) {
	var result struct{ Data []byte } // base64, which encoding/json decodes
	err := c.call("Page.captureScreenshot", nil, &result)
	return result.Data, err
}

func (c *chromium) close() {
	c.out.Close()
	end(c.cmd)
	for range c.messages { // so that receive can end
	}
}
