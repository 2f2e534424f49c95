package route

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// reachesFrontController reports whether a path ends up in WordPress' index.php, where the
// query variables are looked at, and not in a script or file of its own.
func reachesFrontController(rest string) bool {
	first, _, _ := strings.Cut(rest, "/")
	switch strings.ToLower(first) {
	case "wp-admin", "wp-content", "wp-includes", "wp-json":
		return false
	case "index.php":
		return true
	}
	return !strings.HasSuffix(strings.ToLower(rest), ".php")
}

// empty is PHP's empty() for texts.
func empty(s string) bool { return s == "" || s == "0" }

// phpInt is PHP's (int) for texts: leading spaces, a sign, the digits that follow, and
// a fraction or exponent where there is one.
func phpInt(s string) int {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	end := len(phpNumber.FindString(s))
	if end == 0 {
		return 0
	}
	if n, err := strconv.Atoi(s[:end]); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(s[:end], 64) // out of range is ±Inf
	switch {
	case math.IsInf(f, 0) && strings.ContainsAny(s[:end], ".eE"):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int(f)
}

var phpNumber = regexp.MustCompile(`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`)
