package provision

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"wpsitemapd/server/report"
)

// say prints a line for the administrator.
func (s *Setup) say(format string, args ...any) {
	fmt.Fprintln(s.Out, report.Printable(fmt.Sprintf(format, args...)))
}

// left adds a task to the list of what the administrator still has to do. printLeft prints that list.
func (s *Setup) left(format string, args ...any) {
	s.todo = append(s.todo, fmt.Sprintf(format, args...))
}

// have runs a command of this program. If the command finds trouble, have adds todo to the tasks of the administrator.
func (s *Setup) have(ctx context.Context, command func(context.Context) error, todo string) {
	if command(ctx) != nil {
		s.left("%s --config %s", todo, s.Config)
	}
}

// agreed asks the administrator a question and reports whether the answer is yes. It returns false in a dry run, and true if
// s.Yes is set.
func (s *Setup) agreed(question string) bool {
	switch {
	case s.DryRun:
		return false
	case s.Yes:
		return true
	}
	if s.answers == nil {
		s.answers = bufio.NewScanner(s.In)
	}
	fmt.Fprintf(s.Out, "%s [Y/n] ", question)
	if !s.answers.Scan() {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(s.answers.Text()))
	return answer == "" || answer == "y" || answer == "yes"
}

// printLeft prints what the administrator still has to do. It is the last step of a run.
func (s *Setup) printLeft() {
	if s.DryRun {
		s.say("\nNothing was changed.")
	}
	if len(s.todo) > 0 {
		s.say("\nLeft to do:")
		for _, text := range s.todo {
			report.Hanging(s.Out, "  - ", report.Printable(text))
		}
	}
	if len(s.record.Deeds) > 0 {
		s.say("\nTo take all of this back: wpsitemapd init --undo --config %s", s.Config)
	}
}
