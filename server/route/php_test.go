package route

import "testing"

func TestPHPInt(t *testing.T) {
	// values of (int) in PHP 8.2
	for in, want := range map[string]int{
		"": 0, "7": 7, "007": 7, " 7": 7, "7 ": 7, "+7": 7, "-7": -7, "- 7": 0, "7abc": 7, "abc": 0, "1.9": 1, ".9": 0, "1e3": 1000, "1e": 1, "0x1A": 0,
		"-1e1x": -10, "9223372036854775807": 1<<63 - 1, "9223372036854775808": 1<<63 - 1, "-9223372036854775809": -1 << 63, "1e1000": 0, "\n5": 5, "1e19": 1<<63 - 1, "-9.9e30": -1 << 63, "1e-2": 0, "+-5": 0, "\v3": 3,
	} {
		if got := phpInt(in); got != want {
			t.Errorf("phpInt(%q) is %d, want %d", in, got, want)
		}
	}
}
