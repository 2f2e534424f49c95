package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/offline"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
)

const aboutMCP = `Answers an assistant by the Model Context Protocol over standard input and output. The assistant starts this command
itself. Its tools only read: explain says why a URL is in the sitemaps or not, excluded lists what a
site excludes, changes lists which URLs came, went and changed, valid says what is wrong with the sitemaps.

If admin is configured and the daemon runs, the daemon answers explain. Otherwise this command reads the databases.
Only the daemon answers changes and valid.`

// How many objects or changes an answer contains at most, because an assistant reads all of them.
const (
	mostExcluded = 200
	mostChanges  = 200
)

func mcpCommand() *command {
	var file string
	return &command{
		name:     "mcp",
		synopsis: "[--config FILE]",
		summary:  "answers an assistant by the Model Context Protocol",
		about:    aboutMCP,
		exits:    "standard input or output failed",
		example:  "wpsitemapd mcp --config /etc/wpsitemapd.toml",
		flags:    []option{configOption(&file)},
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := loadConfig(file)
			if err != nil {
				return err
			}
			explainer := offline.New(cfg, time.Time{}, quiet(p.stderr))
			defer explainer.Close()
			a := &assistant{config: cfg, running: newRunning(cfg, runningTimeout), offline: explainer, program: p}
			err = a.server().Run(ctx, &mcp.IOTransport{Reader: os.Stdin, Writer: writer{p.stdout}})
			if ctx.Err() != nil {
				return nil
			}
			return err
		},
	}
}

// writer is an io.WriteCloser whose Close does nothing.
type writer struct{ to io.Writer }

func (w writer) Write(b []byte) (int, error) { return w.to.Write(b) }
func (w writer) Close() error                { return nil }

// assistant answers the questions of an AI assistant, one after the other.
type assistant struct {
	mu      sync.Mutex
	config  *config.Config
	running *running
	offline *offline.Explainer
	program *program
}

// server returns the protocol server with its tools.
func (a *assistant) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "wpsitemapd", Version: metrics.CurrentBuild().Version}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{
		Name: "explain", Annotations: readOnly,
		Description: "Says why a URL is in the XML sitemaps of a WordPress site or not: the rule, the database value behind it, and what to do.",
	}, a.explain)
	mcp.AddTool(s, &mcp.Tool{
		Name: "excluded", Annotations: readOnly,
		Description: fmt.Sprintf("Lists the published posts, terms, authors and archives that a site excludes from its sitemaps, %d at most.",
			mostExcluded),
	}, a.excluded)
	type changesQuestion struct {
		Site    string `json:"site,omitempty" jsonschema:"the name of the site in the configuration; not needed if there is one site"`
		Days    int    `json:"days,omitempty" jsonschema:"how many days back, 1 to 30; default 1"`
		What    string `json:"what,omitempty" jsonschema:"only came, went or changed"`
		Sitemap string `json:"sitemap,omitempty" jsonschema:"only this sitemap, such as post"`
	}
	mcp.AddTool(s, &mcp.Tool{
		Name: "changes", Annotations: readOnly,
		Description: fmt.Sprintf("Lists which URLs came to the sitemaps of a site, went, or got another date, the newest first, %d at most. "+
			"For each URL that went, it says why.", mostChanges),
	}, func(ctx context.Context, _ *mcp.CallToolRequest, q changesQuestion) (*mcp.CallToolResult, any, error) {
		query := url.Values{"days": {strconv.Itoa(max(1, q.Days))}, "what": {q.What}, "sitemap": {q.Sitemap}}
		text, err := a.fromDaemon(ctx, q.Site, "changes.json?"+query.Encode())
		if err != nil {
			return nil, nil, err
		}
		var all []json.RawMessage
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, nil, err
		}
		return answer(map[string]any{"changes": all[:min(len(all), mostChanges)], "more": max(0, len(all)-mostChanges)})
	})
	type validQuestion struct {
		Site string `json:"site,omitempty" jsonschema:"the name of the site in the configuration; not needed if there is one site"`
	}
	mcp.AddTool(s, &mcp.Tool{
		Name: "valid", Annotations: readOnly,
		Description: "Reads all sitemaps of a site and says what is wrong with them: files, limits, dates, hosts, repeated URLs, hreflang.",
	}, func(ctx context.Context, _ *mcp.CallToolRequest, q validQuestion) (*mcp.CallToolResult, any, error) {
		text, err := a.fromDaemon(ctx, q.Site, "valid.json")
		if err != nil {
			return nil, nil, err
		}
		return answer(json.RawMessage(text))
	})
	return s
}

// site returns the site that a question names. "" means the only site.
func (a *assistant) site(name string) (*config.Site, error) {
	sites, err := chosen(a.config, name)
	if err == nil && len(sites) > 1 {
		err = errors.New("there are several sites; name one of them")
	}
	if err != nil {
		return nil, err
	}
	return &sites[0], nil
}

// fromDaemon returns the JSON that the running daemon has at a path of a site. It returns an error if the daemon
// does not answer.
func (a *assistant) fromDaemon(ctx context.Context, name, path string) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, err := a.site(name)
	if err != nil {
		return nil, err
	}
	if a.running == nil {
		return nil, errors.New("this needs the running daemon, but the configuration has no admin address: set admin, and restart the daemon")
	}
	status, text, err := a.running.ask(ctx, http.MethodGet, "/sites/"+url.PathEscape(s.Name)+"/"+path, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("this needs the running daemon, which does not answer: %w", err)
	case status != http.StatusOK:
		return nil, fmt.Errorf("the daemon answers %d: %s", status, bytes.TrimSpace(text))
	}
	return text, nil
}

type explainQuestion struct {
	URL  string `json:"url" jsonschema:"the URL; a path is enough if there is one site"`
	Site string `json:"site,omitempty" jsonschema:"the name of the site in the configuration, for a path"`
}

func (a *assistant) explain(ctx context.Context, _ *mcp.CallToolRequest, q explainQuestion) (*mcp.CallToolResult, any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, _ := a.running.explain(ctx, q.URL, q.Site)
	if found == nil {
		var err error
		if found, err = a.offline.Explain(ctx, q.URL, q.Site); err != nil {
			return nil, nil, err
		}
	}
	return answer(found)
}

type excludedQuestion struct {
	Site string `json:"site,omitempty" jsonschema:"the name of the site in the configuration; not needed if there is one site"`
	Rule string `json:"rule,omitempty" jsonschema:"only what this rule excludes, such as noindex"`
}

// excluded is the answer of the tool excluded.
type excluded struct {
	Site    string            `json:"site"`
	Objects []explain.LeftOut `json:"objects"`
	More    bool              `json:"more"` // the site excludes more than Objects
}

func (a *assistant) excluded(ctx context.Context, _ *mcp.CallToolRequest, q excludedQuestion) (*mcp.CallToolResult, any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, err := a.site(q.Site)
	if err != nil {
		return nil, nil, err
	}
	found := &excluded{Site: s.Name}
	enough := errors.New("enough")
	err = site.Guard(quiet(a.program.stderr), func() error {
		return leftOut(ctx, a.program, s, time.Time{}, q.Rule, func(o explain.LeftOut) error {
			if len(found.Objects) == mostExcluded {
				found.More = true
				return enough
			}
			found.Objects = append(found.Objects, o)
			return nil
		})
	})
	if err != nil && !errors.Is(err, enough) {
		return nil, nil, err
	}
	return answer(found)
}

// answer returns a value as the JSON answer of a tool.
func answer(found any) (*mcp.CallToolResult, any, error) {
	text, err := json.Marshal(found)
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
}
