package wptest

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Must ends a test in which err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Patience is how long tests wait for what has to happen. It is long since tests do not measure time: the machine may be slow,
// and other tests use it, too.
const Patience = 2 * time.Minute

// Eventually waits until something is so. It ends a test in which it never is, and says what was seen then: the values of
// seen, what they point to or what those return that are functions.
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
