package refresh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What is wrong with many blogs is told once, and shortly.
func TestSummedErrors(t *testing.T) {
	var errs []error
	for id := range 3000 {
		errs = append(errs, fmt.Errorf("site net, blog %d: reading wp_%d_options: %w", id, id, context.DeadlineExceeded))
	}
	err := summed(errs)
	if text := err.Error(); len(text) > 500 || !strings.HasSuffix(text, "and 2995 other blogs") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d bytes: %.1000s", len(text), text)
	}
	if err := summed(nil); err != nil {
		t.Error(err)
	}
}
