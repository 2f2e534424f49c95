package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
)

// fields reads the keys of a table into the fields of a struct. The tag toml names the key of a field. If a key is missing or
// wrong, its field keeps its value; a list with wrong elements keeps only the others. The type of a field and these tags say what its value must be:
//
//   - oneof lists the allowed words.
//   - bounds has the least and the greatest value of a duration or an int, and only the least of a Size.
//   - form is a key of forms.
//   - empty says what to do instead of an empty list.
func (t *table) fields(into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i).Tag
		key := tag.Get("toml")
		switch {
		case key == "":
		case field.Kind() == reflect.Slice:
			t.slice(key, field, tag)
		case isTable(field):
			t.within(key, func(e *table) { e.fields(field.Addr().Interface()) })
		default:
			t.value(key, func(v any) error { return assign(field, tag, v) })
		}
	}
}

// isTable reports whether a field is a struct whose fields are keys.
func isTable(field reflect.Value) bool {
	_, text := reflect.TypeAssert[encoding.TextUnmarshaler](field.Addr())
	return field.Kind() == reflect.Struct && !text
}

// slice reads a list into a field.
func (t *table) slice(key string, field reflect.Value, tag reflect.StructTag) {
	if l, ok := t.values[key].([]any); ok && len(l) == 0 && tag.Get("empty") != "" {
		t.fail(key, nil, "must not be empty: %s", tag.Get("empty"))
	}
	t.list(key, func() { field.Set(reflect.MakeSlice(field.Type(), 0, 0)) }, func(v any) error {
		e := reflect.New(field.Type().Elem()).Elem()
		err := assign(e, tag, v)
		if err == nil {
			field.Set(reflect.Append(field, e))
		}
		return err
	})
}

// assign sets a field to a value. The error says what the value must be.
func assign(field reflect.Value, tag reflect.StructTag, v any) error {
	low, high, _ := strings.Cut(tag.Get("bounds"), " ")
	words := strings.Fields(tag.Get("oneof"))
	text, isText := v.(string)
	whole, isWhole := v.(int64)
	switch into := field.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		least, _ := time.ParseDuration(low)
		if most, _ := time.ParseDuration(high); err != nil || d < least || d > most {
			return fmt.Errorf(`must be a duration with its unit, such as "30s" or "5m", from %s to %s`, low, high)
		}
		*into = d
	case *float64:
		n, isNumber := fraction(v)
		if !isNumber || !(0 <= n && n < 1) {
			return errors.New("must be a number of at least 0 and less than 1, such as 0.5")
		}
		*into = n
	case *bool:
		yes, isBool := v.(bool)
		if !isBool {
			return errors.New("must be true or false")
		}
		*into = yes
	case *int64:
		if !isWhole || whole < 1 {
			return errors.New("must hold ids, whole numbers from 1")
		}
		*into = whole
	case *int:
		least, _ := strconv.ParseInt(low, 10, 64)
		if most, _ := strconv.ParseInt(high, 10, 64); !isWhole || whole < least || whole > most {
			return fmt.Errorf("must be a whole number from %s to %s", low, high)
		}
		*into = int(whole)
	case *seo.Switch: // an add-on decides, unless the operator does
		switch v {
		case "auto":
			*into = seo.Auto
		case true:
			*into = seo.SwitchedOn
		case false:
			*into = seo.SwitchedOff
		default:
			return errors.New(`must be true, false or "auto"`)
		}
	case *Size:
		var n, least Size
		_ = least.UnmarshalText([]byte(low))
		if err := textSetter(func(s string) error { return n.UnmarshalText([]byte(s)) })(v); err != nil {
			return err
		}
		if n < least {
			return fmt.Errorf("must be at least %s", low)
		}
		*into = n
	case *regexp.Regexp:
		return textSetter(func(s string) error {
			if err := into.UnmarshalText([]byte(s)); err != nil {
				return fmt.Errorf("is not a valid pattern: %w", err)
			}
			return nil
		})(v)
	case encoding.TextUnmarshaler:
		if isText && len(words) > 0 && !slices.Contains(words, text) {
			return mustBe(words)
		}
		return textSetter(func(s string) error { return into.UnmarshalText([]byte(s)) })(v)
	case *string:
		if len(words) > 0 {
			return oneOf(into, words...)(v)
		}
		return textSetter(func(s string) error {
			if form := forms[tag.Get("form")]; form.is != nil && !form.is.MatchString(s) {
				return errors.New(form.must)
			}
			*into = s
			return nil
		})(v)
	default: // a pointer, which is nil if the key is missing; each other type needs a case above
		to := reflect.New(field.Type().Elem())
		err := assign(to.Elem(), tag, v)
		if err == nil {
			field.Set(to)
		}
		return err
	}
	return nil
}

// textSetter returns a function that passes a value to set if the value is a text. For any other value, the function returns
// an error.
func textSetter(set func(text string) error) func(v any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return set(s)
		}
		return errors.New("must be a text in quotes")
	}
}

// form is a pattern that a text must match, with the end of the message for a text that does not match.
type form struct {
	is   *regexp.Regexp
	must string
}

// oneOf returns a function that stores a value in into if it is one of the words.
func oneOf(into *string, words ...string) func(v any) error {
	return func(v any) error {
		s, ok := v.(string)
		if !ok || !slices.Contains(words, s) {
			return mustBe(words)
		}
		*into = s
		return nil
	}
}

func mustBe(words []string) error {
	return fmt.Errorf(`must be "%s" or "%s"`, strings.Join(words[:len(words)-1], `", "`), words[len(words)-1])
}

// fraction converts a number that is written with or without a point.
func fraction(v any) (n float64, ok bool) {
	if whole, is := v.(int64); is {
		return float64(whole), true
	}
	n, ok = v.(float64)
	return n, ok
}
