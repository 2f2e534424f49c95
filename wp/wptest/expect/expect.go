// Package expect compares what a test got with what it wants. A difference is an error of the test but does not end
// it. The arguments of are printed before the difference, as by fmt.Sprintln. They say what was compared.
package expect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal compares with !=.
func Equal[T comparable](t testing.TB, got, want T, of ...any) {
	t.Helper()
	if got == want {
		return
	}
	form := "%s%+v, want %+v"
	if _, text := any(got).(string); text {
		form = "%s%q, want %q"
	}
	t.Errorf(form, head(of), got, want)
}

// List compares the elements and their order.
func List[T comparable](t testing.TB, got, want []T, of ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s%+v, want %+v", head(of), got, want)
	}
}

// Contains reports an error if a text lacks a part.
func Contains(t testing.TB, text, part string, of ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sno %q in\n%s", head(of), part, text)
	}
}

// Parts reports an error for every part that a text lacks.
func Parts(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Contains(t, text, part)
	}
}

// Same compares with cmp.Diff and prints the difference.
func Same(t testing.TB, want, got any, of ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%swant (-), got (+):\n%s", head(of), diff)
	}
}

func head(of []any) string {
	if len(of) == 0 {
		return ""
	}
	for i, o := range of {
		if text, ok := o.([]byte); ok {
			of[i] = string(text)
		}
	}
	return strings.TrimSpace(fmt.Sprintln(of...)) + ": "
}
