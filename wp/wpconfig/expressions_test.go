package wpconfig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// valueIn returns the constant DB_NAME of a file, in quotes, or why it is not known. The daemon has some environment variables.
func valueIn(t *testing.T, code string) string {
	t.Helper()
	env := map[string]string{
		"WP_YES": "TRUE", "WP_NO": "False", "WP_NULL": "null", "WP_DIGITS": "0123", "WP_MINUS": "-1", "WP_QUOTED": `"a b"`, "WP_SINGLE": "'a'",
		"WP_OPEN": `"a`, "WP_QUOTE": `"`,
		"WP_EMPTY": "", "WP_MIXED": `"a'`, "WP_TEXT": "text", "DB_X": "sesame",
	}
	file := filepath.Join(t.TempDir(), "wp-config.php")
	wptest.Must(t, os.WriteFile(file, []byte("<?php\n"+code), 0o600))
	c, err := Parse(t.Context(), file, Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }, secrets: filepath.Dir(file)})
	wptest.Must(t, err)
	if s, ok := c.String("DB_NAME"); ok {
		return strconv.Quote(strings.ReplaceAll(s, filepath.Dir(file), "DIR"))
	}
	for _, p := range c.Unknown {
		if p.Name == "DB_NAME" {
			return p.Why
		}
	}
	return "not defined"
}

// What an expression gives, as PHP evaluates it. If it is not known, the reason says why.
func TestExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		// text and numbers
		`'a' . 1 . 'b'`: `"a1b"`, `"a" . true . false . null . "b"`: `"a1b"`, `0x1F`: `"31"`, `010`: `"8"`, `0b11`: `"3"`, `1_000`: `"1000"`,
		`1.5`: "is a number that is not understood",
		`-1`:  "uses the operator -", `1 + 1`: "uses the operator +", `4 | 3`: `"7"`, `'4' | 3`: "uses the operator |", `4 & 3`: "uses the operator &",
		`1 < 2`: "uses the operator <",
		// comparisons
		`1 == 1 ? 'y' : 'n'`: `"y"`, `1 == 2 ? 'y' : 'n'`: `"n"`, `1 === '1' ? 'y' : 'n'`: `"n"`, `1 != 2 ? 'y' : 'n'`: `"y"`,
		`1 <> 1 ? 'y' : 'n'`: `"n"`, `1 !== 1 ? 'y' : 'n'`: `"n"`,
		`'a' == 'a' ? 'y' : 'n'`: `"y"`, `'a' === 'b' ? 'y' : 'n'`: `"n"`, `'' == null ? 'y' : 'n'`: `"y"`, `'a' == true ? 'y' : 'n'`: `"y"`,
		`'0' == false ? 'y' : 'n'`: `"y"`,
		`0 == null ? 'y' : 'n'`:    `"y"`, `1 == null ? 'y' : 'n'`: `"n"`, `null == null ? 'y' : 'n'`: `"y"`, `null == 'a' ? 'y' : 'n'`: `"n"`,
		`true == 'a' ? 'y' : 'n'`: `"y"`,
		`true === 1 ? 'y' : 'n'`:  `"n"`, `'1' == '1.0' ? 'y' : 'n'`: "compares numbers in words", `'1a' == 'a' ? 'y' : 'n'`: `"n"`,
		`[1] == [1] ? 'y' : 'n'`: "compares arrays",
		`'1' == 1 ? 'y' : 'n'`:   `"y"`, `' 1' == '1' ? 'y' : 'n'`: "compares numbers in words",
		// choices
		`true ? 'a' : 'b'`: `"a"`, `false ? 'a' : 'b'`: `"b"`, `'' ?: 'b'`: `"b"`, `'a' ?: 'b'`: `"a"`, `null ?? 'b'`: `"b"`, `'' ?? 'b'`: `""`,
		`$nothing ?? 'b'`:                  `"b"`,
		`true ? (false ? 'a' : 'b') : 'c'`: `"b"`, `true ? false ? 'a' : 'b' : 'c'`: `"b"`, `false ? false ? 'a' : 'b' : 'c'`: `"c"`,
		`true ? ['x' => 'a']['x'] : 'c'`: `"a"`,
		`true ? 'a'`:                     "is set in code that is not understood", `!true ? 'a' : 'b'`: `"b"`, `!'' ? 'a' : 'b'`: `"a"`, `@'a'`: `"a"`,
		`![] ? 'a' : 'b'`: `"a"`, `![0] ? 'a' : 'b'`: `"b"`,
		// logic
		`true && false ? 'y' : 'n'`: `"n"`, `true and true ? 'y' : 'n'`: `"1"`, `false || true ? 'y' : 'n'`: `"y"`, `false || false ? 'y' : 'n'`: `"n"`,
		`true || f() ? 'y' : 'n'`: `"y"`, `false && f() ? 'y' : 'n'`: `"n"`, `f() || true ? 'y' : 'n'`: `"y"`, `f() && false ? 'y' : 'n'`: `"n"`,
		`f() && true ? 'y' : 'n'`: "calls f()", `f() || false ? 'y' : 'n'`: "calls f()", `true && f() ? 'y' : 'n'`: "calls f()",
		`false || f() ? 'y' : 'n'`: "calls f()",
		// arrays
		`['a', 'b'][1]`: `"b"`, `array('x' => 'a')['x']`: `"a"`, `[5 => 'a', 'b'][6]`: `"b"`, `['x' => 'a', 'x' => 'b']['x']`: `"b"`,
		`['a'][1] . 'x'`: `"x"`, `['1' => 'a'][1]`: `"a"`,
		`[true => 'a'][1]`: `"a"`, `[null => 'a']['']`: `"a"`, `[f() => 'a']['x']`: "is an array with a key that cannot be evaluated",
		`['a'][f()]`: "uses a key that cannot be evaluated",
		`'abc'[0]`:   "takes a part of what is no array", `['a'] . 'b'`: "joins what is not text", `[[1, 'a'], 'b'][0][1]`: `"a"`, `f()[0]`: "calls f()",
		`[[1] => 'a'][0]`:      "is an array with a key that cannot be evaluated",
		`['a' => 'x', 'y'][0]`: `"y"`, `[-5 => 'a'][0]`: "is an array with a key that cannot be evaluated",
		// constants and names
		`PHP_EOL`: `"\n"`, `DIRECTORY_SEPARATOR`: `"/"`, `\PHP_SAPI`: `"fpm-fcgi"`, `__DIR__`: `"DIR"`, `__FILE__`: `"DIR/wp-config.php"`,
		`NOTHING`:    "uses a constant that is not defined",
		`TRUE . 'x'`: `"1x"`, `Null . 'x'`: `"x"`, `\true . ''`: `"1"`, `$nothing`: "uses a variable that is not set", `$_GET['x']`: "depends on $_GET",
		`$argv`:    "depends on $argv",
		`$GLOBALS`: "depends on $GLOBALS", `$GLOBALS[f()]`: "depends on $GLOBALS", `exit`: "ends PHP", `die('x')`: "ends PHP",
		`new X('a')`: "depends on a class", `X::y`: "depends on a class",
		`X::y('a')`: "calls X::y()", `$nothing->x`: "takes a property of an object", `$nothing->x()`: "uses a variable that is not set",
		`f()->x()`: "calls f()", `'a'->x()`: "calls a method",
		"`ls`": "runs a command", `fn() => 'a'`: "is set in code that is not understood", `eval('x')`: "runs eval()",
		`print 'a'`: "is set in code that is not understood",
		// functions
		`dirname('/a/b/c')`: `"/a/b"`, `dirname('/a/b/c', 2)`: `"/a"`, `dirname('/a/b/c', 1)`: `"/a/b"`, `dirname('/a')`: `"/"`, `dirname('/')`: `"/"`,
		`dirname('a/b')`: `"a"`,
		`dirname('a')`:   `"."`, `dirname('')`: `""`,
		`dirname('/a/b/c', 9)`: `"/"`, `dirname('/a/b//')`: `"/a"`, `dirname(f())`: "calls f()",
		`defined('PHP_EOL') ? 'y' : 'n'`: `"y"`, `defined('\PHP_EOL') ? 'y' : 'n'`: `"y"`, `defined('X') ? 'y' : 'n'`: `"n"`,
		`isset($nothing) ? 'y' : 'n'`: `"n"`, `empty($nothing) ? 'y' : 'n'`: `"y"`, `empty('0') ? 'y' : 'n'`: `"y"`, `empty('a') ? 'y' : 'n'`: `"n"`,
		`isset($_SERVER['HTTP_HOST']) ? 'y' : 'n'`: `"y"`,
		`isset($_SERVER['HTTPS']) ? 'y' : 'n'`:     "depends on $_SERVER", `isset($_SERVER['HTTP_HOST'], $nothing) ? 'y' : 'n'`: `"n"`,
		`in_array('a', ['b', 'a']) ? 'y' : 'n'`: `"y"`, `in_array('c', ['b', 'a']) ? 'y' : 'n'`: `"n"`, `in_array(1, ['1'], true) ? 'y' : 'n'`: `"n"`,
		`in_array(1, ['1']) ? 'y' : 'n'`: `"y"`,
		`in_array('a')`:                  "calls in_array() without a list", `in_array('1', ['1.0', '1']) ? 'y' : 'n'`: "compares numbers in words",
		`file_exists(__FILE__) ? 'y' : 'n'`: `"y"`, `is_file('') ? 'y' : 'n'`: `"n"`, `is_readable('nothing') ? 'y' : 'n'`: `"n"`,
		`strtolower('A')`: "calls strtolower()",
		// environment variables
		`env('WP_YES') === true ? 'y' : 'n'`: `"y"`, `env('WP_NO') === false ? 'y' : 'n'`: `"y"`, `env('WP_NULL') === null ? 'y' : 'n'`: `"y"`,
		`env('WP_DIGITS')`: `"123"`, `env('WP_MINUS')`: `"-1"`,
		`env('WP_QUOTED')`: `"a b"`, `env('WP_SINGLE')`: `"a"`, `env('WP_OPEN')`: `"\"a"`, `env('WP_QUOTE')`: `"\""`, `env('WP_MIXED')`: `"\"a'"`,
		`env('WP_EMPTY')`: `""`, `Env::get('WP_TEXT')`: `"text"`,
		`env('WP_GONE', 'other')`: `"other"`, `env('WP_TEXT', 'other')`: `"text"`, `getenv('WP_TEXT')`: `"text"`, `getenv('WP_QUOTED')`: `"\"a b\""`,
		`$_ENV['WP_TEXT']`: `"text"`, `$_SERVER['WP_TEXT']`: `"text"`,
		`getenv('WP_GONE')`: "the environment variable WP_GONE is not set here", `getenv('WP_GONE') ?: 'other'`: `"other"`,
		`getenv('WP_GONE') === false ? 'y' : 'n'`: `"y"`, `$_SERVER['DOCUMENT_ROOT']`: "depends on $_SERVER",
		`getenv_docker('WP_TEXT', 'x')`: `"text"`, `getenv_docker('WP_GONE', 'x')`: `"x"`,
	} {
		expect.Equal(t, valueIn(t, "define('DB_NAME', "+expression+");"), want, expression)
	}
}

// What statements do to the constant DB_NAME.
func TestStatements(t *testing.T) {
	for code, want := range map[string]string{
		`if (false) { define('DB_NAME', 'a'); } else if (true) { define('DB_NAME', 'b'); } else { define('DB_NAME', 'c'); }`:  `"b"`,
		`if (false) { define('DB_NAME', 'a'); } else if (false) { define('DB_NAME', 'b'); } else { define('DB_NAME', 'c'); }`: `"c"`,
		`if (false): define('DB_NAME', 'a'); elseif (true): define('DB_NAME', 'b'); else: define('DB_NAME', 'c'); endif;`:     `"b"`,
		`if (true): if (false): $x = 1; else: $x = 2; endif; define('DB_NAME', $x); else: define('DB_NAME', 'c'); endif;`:     `"2"`,
		`if (true) if (false) $x = 1; else $x = 2; define('DB_NAME', $x);`:                                                    `"2"`,
		`if (true) { return; } define('DB_NAME', 'a');`:                                                                       "not defined",
		`if (f()) { return; } define('DB_NAME', 'a');`:                                                                        "depends on the condition at line 2, which calls f()",
		`const DB_USER = 'u', DB_NAME = 'a' . DB_USER;`:                                                                       `"au"`,
		`define('DB_NAME', 'a'); define('DB_NAME', 'b');`:                                                                     `"a"`,
		`$a = 'x'; $a .= 'y'; define('DB_NAME', $a);`:                                                                         `"xy"`,
		`$a = 'x'; $a ??= 'y'; define('DB_NAME', $a);`:                                                                        `"x"`,
		`$a ??= 'y'; define('DB_NAME', $a);`:                                                                                  `"y"`, `$a = null; $a ??= 'y'; define('DB_NAME', $a);`: `"y"`,
		`$a = $b = 'x'; define('DB_NAME', $a . $b);`: `"xx"`, `$a = 1; $a++; define('DB_NAME', $a);`: "is set in code that is not understood",
		`$a = 1; ++$a; define('DB_NAME', $a);`:                               "is set in code that is not understood",
		`$a = 1; $a += 2; define('DB_NAME', $a);`:                            "is set in code that is not understood",
		`$a = ['x']; $a[] = 'y'; define('DB_NAME', $a[0]);`:                  "is an array that is changed",
		`$a = 'x'; [$a, $b] = ['y', 'z']; define('DB_NAME', $a);`:            "is set in code that is not understood",
		`$a = 'x'; list($a) = ['y']; define('DB_NAME', $a);`:                 "is set in code that is not understood",
		`$a = 'x'; unset($a); define('DB_NAME', $a);`:                        "is set in code that is not understood",
		`$a = 'x'; foreach ([1] as $i) { $a = 'y'; } define('DB_NAME', $a);`: "depends on the foreach at line 2, which is not followed",
		`$a = 'x'; while (f()) $b = 'y'; define('DB_NAME', $a);`:             `"x"`,
		`switch (1) { case 1: define('DB_NAME', 'a'); }`:                     "depends on the switch at line 2, which is not followed",
		`function f() { define('DB_NAME', 'a'); } f();`:                      "is set within a function",
		`function f() { define('DB_NAME', 'a'); }`:                           "not defined",
		`function f() { $a = 'y'; } $a = 'x'; f(); define('DB_NAME', $a);`:   "is set within a function",
		`class X { const DB_NAME = 'a'; }`:                                   "not defined", `{ define('DB_NAME', 'a'); }`: `"a"`,
		`#[Attribute] define('DB_NAME', 'a');`:                    `"a"`,
		`$a = 'x'; if (f()) { $a = 'y'; } define('DB_NAME', $a);`: "depends on the condition at line 2, which calls f()",
		`$a = 'x'; if (f()) { $b = 'y'; } define('DB_NAME', $a);`: `"x"`,
		`f() && define('DB_NAME', 'a');`:                          "depends on the condition at line 2, which calls f()",
		`true && define('DB_NAME', 'a');`:                         `"a"`,
		`false && define('DB_NAME', 'a');`:                        "not defined", `defined('DB_NAME') || define('DB_NAME', 'a');`: `"a"`,
		`$GLOBALS['a'] = 'x'; define('DB_NAME', $a);`: `"x"`, `$_SERVER['WP_X'] = 'x'; define('DB_NAME', $_SERVER['WP_X']);`: `"x"`,
		`$a = 'x'; define('DB_NAME', $GLOBALS['a']);`:                                      `"x"`,
		`Config::define('DB_NAME', 'a'); Config::define('DB_NAME', 'b'); Config::apply();`: `"b"`,
		`define('DB_NAME', 'a'); Config::define('DB_NAME', 'b');`:                          `"a"`,
		`Config::define('X', 'a'); define('DB_NAME', Config::get('X'));`:                   `"a"`,
		`define('\DB_NAME', 'a');`:                                                         "not defined", `\define('DB_NAME', 'a');`: `"a"`, `namespace X; define('DB_NAME', \dirname('/a/b'));`: `"/a"`,
		"define('DB_NAME', <<<A\nx\nA\n);": "is a heredoc", `define('DB_NAME', "a{$b['x']}");`: "uses a variable that is not set",
		`$b = ['x' => 'y']; define('DB_NAME', "a{$b['x']}c");`: `"ayc"`,
		`$b = 'y'; define('DB_NAME', "a$b/c");`:                `"ay/c"`,
		`$b = 'y'; define('DB_NAME', "a${b}");`:                "contains an expression that is not understood",
		`$b = ['y']; define('DB_NAME', "a$b[0]");`:             "contains an expression that is not understood",
		`define('DB_NAME', "a\tb\\c\$d\"e\qf");`:               `"a\tb\\c$d\"e\\qf"`, `define('DB_NAME', "a\x41");`: "has a character that is written by its number",
		`define('DB_NAME', "a\101");`:       "has a character that is written by its number",
		`define('DB_NAME', 'it\'s \\ \n');`: `"it's \\ \\n"`, `define('DB_NAME', "a{b}$");`: `"a{b}$"`,
		"define('DB_NAME', 'a') ?> text <?php define('DB_NAME', 'b');": `"a"`, "// define('DB_NAME', 'a'); ?><?php define('DB_NAME', 'b');": `"b"`,
		"# define('DB_NAME', 'a');\ndefine('DB_NAME', 'b');": `"b"`, "/* define('DB_NAME', 'a'); */ define('DB_NAME', 'b');": `"b"`,
		"define('DB_NAME', <<<'A\nx');": "is set in code that is not understood", "define('DB_NAME', 'a' <<<A);": "is set in code that is not understood",
		"define('DB_NAME', <<<'A'\nx\nAB\n  A . 'y');": "is a heredoc", "$a = <<<A\ndefine('DB_NAME', 'a');\nA; define('DB_NAME', 'b');": `"b"`,
		`$a = $nothing; define('DB_NAME', $a);`:                                   "uses a variable that is not set",
		`$a = $_SERVER['REQUEST_URI']; define('DB_NAME', isset($a) ? 'y' : 'n');`: "depends on $_SERVER",
		`define('DB_NAME', isset($_SERVER['REQUEST_URI']) ? 'y' : 'n');`:          `"y"`,
		`define('DB_NAME', $_GET . 'x');`:                                         "depends on $_GET", `$b = [$_GET, 'y']; define('DB_NAME', $b[1]);`: `"y"`,
		`define('DB_NAME', $GLOBALS);`:                                                                                                           "depends on $GLOBALS",
		`$a = 'x'; while (f()) { [$a] = g(); } define('DB_NAME', $a);`:                                                                           "depends on the while at line 2, which is not followed",
		`$a = 'x'; while (f()) { g([$a]); } define('DB_NAME', $a);`:                                                                              `"x"`,
		`$a = 'x'; while (f()) { g($b[0]); $b[1] = 2; } define('DB_NAME', $a);`:                                                                  `"x"`,
		`$a = 'x'; while (f()) { unset($a); } define('DB_NAME', $a);`:                                                                            "depends on the while at line 2, which is not followed",
		`$a = 'x'; while (f()) { list($a, $b) = g(); } define('DB_NAME', $a);`:                                                                   "depends on the while at line 2, which is not followed",
		`while (f()) { $b = g(['a']); } define('DB_NAME', $b);`:                                                                                  "depends on the while at line 2, which is not followed",
		`if (true): foreach ([1] as $i): $x = 2; endforeach; define('DB_NAME', 'a'); else: define('DB_NAME', 'b'); endif;`:                       `"a"`,
		`if (false): while (f()): if (g()): $x = 2; else: $x = 3; endif; endwhile; define('DB_NAME', 'a'); else: define('DB_NAME', 'b'); endif;`: `"b"`,
		`if (false): { if (g()) { $x = 2; } else { $x = 3; } } else: define('DB_NAME', 'b'); endif;`:                                             `"b"`,
		`define('DB_NAME', dirname('/a/b/c', 2));`:                                                                                               `"/a"`,
		`define('DB_NAME', dirname('/a/b/c', 1));`:                                                                                               `"/a/b"`, `define('DB_NAME', dirname('/a/b/c', 0));`: `"/a/b"`,
		`$a = include 'nothing.php'; define('DB_NAME', $a === false ? 'y' : 'n');`: `"y"`,
	} {
		expect.Equal(t, valueIn(t, code), want, code)
	}
}
