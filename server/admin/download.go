package admin

import (
	"net/http"
	"time"

	"wpsitemapd/server/report"
)

// rowTimeout is how long a download waits for its client to take a row.
const rowTimeout = time.Minute

// A download is an answer that is a table in CSV, sent while it is made. The whole download may take any time, because a site may
// have a million URLs. Only its steps have time limits: each write here, statements in wp/db, pages in server/pages.
type download struct {
	w       http.ResponseWriter
	control *http.ResponseController
	table   *report.CSV
	begun   bool // row was called
}

// newDownload returns a download with the name of its file and of its columns. It sends nothing before the first row.
func newDownload(w http.ResponseWriter, name string, columns []string) *download {
	secure(w.Header())
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("Cache-Control", "no-store")
	d := &download{w: w, control: http.NewResponseController(w), table: report.NewCSV(w, columns...)}
	d.clearLimit()
	return d
}

// row sends a row.
func (d *download) row(cells ...string) error {
	d.begun = true
	d.startLimit()
	defer d.clearLimit()
	return d.table.Row(cells...)
}

// end ends the download. An error as argument means that the table is incomplete. If no row was sent yet, end then answers 503. If
// rows were sent, end writes a last line INCOMPLETE for people, and aborts the connection so that programs notice, too. It also
// aborts the connection if the last rows cannot be written.
func (d *download) end(err error) {
	switch {
	case err == nil:
		d.startLimit() // also for the end, which net/http writes after this
		if d.table.Flush() == nil {
			return
		}
	case d.begun:
		_ = d.row("INCOMPLETE: " + err.Error()) // the client may have gone
		d.startLimit()
		_ = d.control.Flush()
	default:
		d.startLimit()
		d.w.Header().Del("Content-Disposition")
		say(d.w, http.StatusServiceUnavailable, err.Error())
		return
	}
	panic(http.ErrAbortHandler) // a program would take the end for the end of the table
}

// startLimit starts the time limit of a write, and clearLimit removes it. Some writers have no deadline.
func (d *download) startLimit() { _ = d.control.SetWriteDeadline(time.Now().Add(rowTimeout)) }
func (d *download) clearLimit() { _ = d.control.SetWriteDeadline(time.Time{}) }
