package wptest

import (
	"fmt"
	"strconv"
	"strings"
)

// A pair is an element of a PHP array. An array keeps the order of its elements, as PHP does.
type (
	pair  struct{ key, value any }
	array []pair
)

// list returns a PHP array with the keys 0, 1, 2 and so on.
func list[T any](values ...T) array {
	var a array
	for i, v := range values {
		a = append(a, pair{i, v})
	}
	return a
}

// serialize writes bool, int, string and array like PHP's serialize(). Lengths are in bytes.
func serialize(v any) string {
	var b strings.Builder
	serializeTo(&b, v)
	return b.String()
}

func serializeTo(b *strings.Builder, v any) {
	switch v := v.(type) {
	case bool:
		if v {
			b.WriteString("b:1;")
		} else {
			b.WriteString("b:0;")
		}
	case int:
		b.WriteString("i:" + strconv.Itoa(v) + ";")
	case string:
		fmt.Fprintf(b, "s:%d:\"%s\";", len(v), v)
	case array:
		fmt.Fprintf(b, "a:%d:{", len(v))
		for _, p := range v {
			serializeTo(b, p.key)
			serializeTo(b, p.value)
		}
		b.WriteByte('}')
	}
}
