package command

import (
	"fmt"
	"runtime/debug"
)

// guard turns a panic into an error with its stack: one site's odd data must not keep the others from being checked.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error, please report it: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}
