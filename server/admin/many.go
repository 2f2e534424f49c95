package admin

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/report"
	"wpsitemapd/sitemap/explain"
)

const (
	manyTimeout = 2 * time.Minute
	// mostMany is how many URLs one request explains. The command explains any number.
	mostMany = 1000
	// mostManyBytes bounds the list that a request sends, in bytes.
	mostManyBytes = 4 << 20
)

// urlColumns are the column names that mean URLs, in lower case. Exports of Search Console, Bing, Screaming Frog,
// Sitebulb and Ahrefs use them, and so do people.
var urlColumns = []string{"url", "urls", "address", "page", "pages", "top pages", "page url", "landing page", "loc", "link", "permalink"}

// errEnough stops the reading of a list that has more elements than one request may get.
var errEnough = errors.New("the list has more than is wanted")

// EachURL calls fn for each URL of a list. The list has one URL a line, or is a table with commas, semicolons or tabs.
// It is a table if its first line names a column of URLs, such as URL or Address. EachURL stops at the first error of
// fn.
func EachURL(list io.Reader, fn func(url string) error) error {
	in := bufio.NewReader(list)
	first, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading URLs: %w", err)
	}
	first = strings.TrimPrefix(first, "\ufeff")
	whole := io.MultiReader(strings.NewReader(first), in)
	if comma, column := urlColumn(first); column >= 0 {
		return eachCell(whole, comma, column, fn)
	}
	lines := bufio.NewScanner(whole)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			if err := fn(line); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading URLs: %w", err)
	}
	return nil
}

// urlColumn returns the separator of the table that begins with the line first, and the index of its first column of URLs.
// column is -1 if the line names no column of URLs.
func urlColumn(first string) (comma rune, column int) {
	for _, comma := range ",;\t" {
		for i, cell := range strings.Split(first, string(comma)) {
			cell = strings.ToLower(strings.Trim(strings.TrimSpace(cell), `"`))
			for _, name := range urlColumns {
				if cell == name {
					return comma, i
				}
			}
		}
	}
	return ',', -1
}

// eachCell calls fn for each cell of a column below the first row of a table.
func eachCell(table io.Reader, comma rune, column int, fn func(string) error) error {
	rows := csv.NewReader(table)
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, true
	for head := true; ; head = false {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading URLs: %w", err)
		case head || column >= len(row) || strings.TrimSpace(row[column]) == "":
			continue
		}
		if err := fn(strings.TrimSpace(row[column])); err != nil {
			return err
		}
	}
}

// ExplainedColumns are the columns of explanations in CSV.
var ExplainedColumns = []string{
	"url", "listed", "rule", "because", "do", "object", "title", "own_url", "sitemap", "page", "lastmod", "edit", "similar",
}

// Cells returns the row of an explanation in CSV.
func (x *Explained) Cells() []string {
	page := ""
	if x.In {
		page = strconv.Itoa(x.Page)
	}
	return []string{
		x.URL, x.Listing(), x.Rule, x.Because, x.Do, x.Object, x.Title, x.Address, x.Sitemap, page, x.LastMod, x.Edit, strings.Join(x.Similar, " "),
	}
}

const longerList = "For a longer list, run: wpsitemapd explain --csv - < FILE"

// many is a page that explains a list of URLs.
type many struct {
	head
	List    string // the list as it was sent
	Rows    []*Explained
	In, Out int
	Problem string
}

// serveMany explains a list of URLs that a form sends as text or as a file. It answers with a page, or with CSV at /explain.csv.
func (h *handler) serveMany(w http.ResponseWriter, r *http.Request) {
	if crossOrigin.Check(r) != nil {
		h.gate.refuse(w, r, http.StatusForbidden, "A page of another site has sent this request. Use the form on the status page.")
		return
	}
	list, err := listOf(w, r)
	if err != nil {
		writeMany(w, r, http.StatusBadRequest, &many{Problem: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), manyTimeout)
	defer cancel()
	m := &many{List: list}
	err = EachURL(strings.NewReader(list), func(url string) error {
		if len(m.Rows) == mostMany {
			m.Problem = fmt.Sprintf("Only the first %d URLs are explained. "+longerList, mostMany)
			return errEnough
		}
		x, err := h.Explainer.Explain(ctx, url, r.FormValue("site"))
		switch {
		case ctx.Err() != nil:
			m.Problem = "Only these URLs could be explained in time. " + longerList
			return errEnough
		case err != nil:
			x = &Explained{Explanation: &explain.Explanation{URL: url, Unknown: true, Because: err.Error()}}
		case x.In:
			m.In++
		case !x.Unknown:
			m.Out++
		}
		m.Rows = append(m.Rows, x)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		m.Problem = err.Error()
	}
	switch {
	case !strings.HasSuffix(r.URL.Path, ".csv"):
		writeMany(w, r, http.StatusOK, m)
	case m.Problem != "": // a table without all URLs would look complete
		writeMany(w, r, http.StatusServiceUnavailable, m)
	default:
		d := newDownload(w, "explained.csv", ExplainedColumns)
		for _, x := range m.Rows {
			_ = d.row(x.Cells()...) // the table keeps the error for end
		}
		d.end(nil)
	}
}

// listOf returns the list of URLs in a request: its file, or else its text.
func listOf(w http.ResponseWriter, r *http.Request) (string, error) {
	r.Body = http.MaxBytesReader(w, r.Body, mostManyBytes)
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(mostManyBytes)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return "", fmt.Errorf("the list is larger than %s. %s", report.Size(mostManyBytes), longerList)
		}
		return "", fmt.Errorf("the list cannot be read: %w", err)
	}
	file, _, err := r.FormFile("file")
	if err != nil {
		return r.FormValue("urls"), nil
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return "", fmt.Errorf("reading the file: %w", err)
	}
	if len(text) == 0 {
		return r.FormValue("urls"), nil
	}
	return string(text), nil
}

func writeMany(w http.ResponseWriter, r *http.Request, status int, m *many) {
	m.head = head{"Explain many URLs – wpsitemapd", "explain", false}
	write(w, r, status, "many", m)
}
