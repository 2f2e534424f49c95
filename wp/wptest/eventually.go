package wptest

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Patience is how long tests wait for something that must happen. It is long because tests do not measure time: the machine may
// be slow, and other tests use it, too.
const Patience = 2 * time.Minute

// Eventually waits until so returns true. If that does not happen within Patience, it ends the test and prints what
// and the values of seen. For a pointer it prints the value that it points to, and for a function the function's
// result.
func Eventually(t testing.TB, what string, so func() bool, seen ...any) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(Patience); !so(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			text := "never: " + what
			for _, s := range seen {
				switch value := s.(type) {
				case fmt.Stringer:
				case func() any:
					s = value()
				default:
					s = reflect.Indirect(reflect.ValueOf(s))
				}
				text += fmt.Sprintf("\n%+v", s)
			}
			t.Fatal(text)
		}
		pause = min(2*pause, 40*time.Millisecond)
	}
}
