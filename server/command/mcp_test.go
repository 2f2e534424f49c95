package command

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/offline"
	"wpsitemapd/server/survey"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// asked asks a tool of the server as an assistant does, and decodes its answer. If the tool fails, problem is its message.
func asked(t *testing.T, client *mcp.ClientSession, tool string, question, answer any) (problem string) {
	t.Helper()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: question})
	wptest.Must(t, err)
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		return text
	}
	wptest.Must(t, json.Unmarshal([]byte(text), answer))
	return ""
}

func TestAssistantIsAnswered(t *testing.T) {
	cfg, err := loadConfig(explainConfig(t, map[string][]string{"one": {"basic"}}, ""))
	wptest.Must(t, err)
	explainer := offline.New(cfg, time.Time{}, slog.New(slog.DiscardHandler))
	t.Cleanup(explainer.Close)
	a := &assistant{config: cfg, offline: explainer, program: &program{stdout: io.Discard, stderr: io.Discard}}
	ours, theirs := mcp.NewInMemoryTransports()
	_, err = a.server().Connect(t.Context(), ours, nil)
	wptest.Must(t, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
	wptest.Must(t, err)
	t.Cleanup(func() { client.Close() })

	tools, err := client.ListTools(t.Context(), nil)
	wptest.Must(t, err)
	expect.Equal(t, len(tools.Tools), 4)
	for _, tool := range tools.Tools {
		expect.Equal(t, tool.Annotations.ReadOnlyHint, true, tool.Name)
	}

	var x admin.Explained
	expect.Equal(t, asked(t, client, "explain", explainQuestion{URL: "/noindex-1/"}, &x), "")
	expect.Equal(t, x.Rule, "noindex")
	expect.Contains(t, asked(t, client, "explain", explainQuestion{URL: "nonsense"}, &x), "write it with its host")

	var e excluded
	expect.Equal(t, asked(t, client, "excluded", excludedQuestion{Rule: "noindex"}, &e), "")
	found := map[string]bool{}
	for _, o := range e.Objects {
		expect.Equal(t, o.Rule, "noindex", o.Object)
		found[o.Address] = true
	}
	if !found["https://example.test/noindex-1/"] || found["https://example.test/noindex-2/"] {
		t.Errorf("excluded by noindex: %+v", e)
	}
	expect.Contains(t, asked(t, client, "excluded", excludedQuestion{Site: "two"}, &e), "two")
	expect.Contains(t, asked(t, client, "valid", map[string]any{}, &e), "set admin")

	// what only the daemon knows
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sites/one/changes.json":
			change := `{"what": "` + r.URL.Query().Get("what") + r.URL.Query().Get("days") + `"}`
			io.WriteString(w, "["+change+strings.Repeat(","+change, mostChanges)+"]")
		case "/sites/one/valid.json":
			io.WriteString(w, `{"urls": 3, "problems": ["a"]}`)
		}
	}))
	t.Cleanup(daemon.Close)
	a.running = &running{client: &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", daemon.Listener.Addr().String())
	}}}}
	var changes struct {
		Changes []struct{ What string }
		More    int
	}
	expect.Equal(t, asked(t, client, "changes", map[string]any{"what": "went", "days": 7}, &changes), "")
	expect.Equal(t, changes.More, 1)
	expect.Equal(t, len(changes.Changes), mostChanges)
	expect.Equal(t, changes.Changes[0].What, "went7")
	var valid survey.Report
	expect.Equal(t, asked(t, client, "valid", map[string]any{"site": "one"}, &valid), "")
	expect.Equal(t, valid.URLs, 3)
	daemon.Close()
	expect.Contains(t, asked(t, client, "valid", map[string]any{}, &valid), "does not answer")
}
