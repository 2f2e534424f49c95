package refresh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What many blogs have in common is told once, and shortly.
func TestSummedErrors(t *testing.T) {
	var errs []error
	for id := range 3000 {
		errs = append(errs, fmt.Errorf("site net, blog %d: reading wp_%d_options: %w", id, id, context.DeadlineExceeded))
	}
	errs = append(errs, errors.New("something else"))
	err := summed(errs)
	if text := err.Error(); len(text) > 500 || !strings.Contains(text, "2999 more blogs") || !strings.Contains(text, "something else") {
		t.Errorf("%d bytes: %.1000s", len(text), text)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("the cause is lost")
	}
	if err := summed(nil); err != nil {
		t.Error(err)
	}
}
