package php

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxJSONDepth is how deep arrays may nest, as in json_decode().
const maxJSONDepth = 511

// DecodeJSON returns the result of json_decode() with associative arrays: objects and arrays become PHP arrays. More than 524,288
// values are an error.
func DecodeJSON(text string) (Value, error) {
	d := jsonDecoder{Decoder: json.NewDecoder(strings.NewReader(text))}
	d.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return Value{}, errors.New("text behind the end of the JSON")
	}
	return v, nil
}

// jsonDecoder counts the values of a text, which may have at most maxNodes.
type jsonDecoder struct {
	*json.Decoder
	nodes int
}

func (d *jsonDecoder) value(depth int) (Value, error) {
	if d.nodes++; d.nodes > maxNodes {
		return Value{}, errors.New("the JSON has too many values")
	}
	token, err := d.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Value{}, err
	}
	switch t := token.(type) {
	case bool:
		return NewBool(t), nil
	case string:
		return NewString(t), nil
	case json.Number:
		return jsonNumber(t), nil
	case json.Delim:
		if depth >= maxJSONDepth {
			return Value{}, errors.New("the JSON is nested too deep")
		}
		return d.elements(t == '{', depth)
	}
	return Value{}, nil
}

// elements decodes an object or an array after its opening bracket.
func (d *jsonDecoder) elements(object bool, depth int) (Value, error) {
	var pairs []Pair
	for d.More() {
		p := Pair{Key: Key{Int: int64(len(pairs))}}
		if object {
			name, err := d.Token()
			if err != nil {
				return Value{}, err
			}
			p.Key = KeyOf(name.(string)) // the decoder accepts only strings as names
		}
		var err error
		if p.Value, err = d.value(depth + 1); err != nil {
			return Value{}, err
		}
		pairs = append(pairs, p)
	}
	if _, err := d.Token(); err != nil {
		return Value{}, err
	}
	return NewArray(pairs...), nil
}

// jsonNumber returns an integer if n fits in 64 bits, and a float for any other number.
func jsonNumber(n json.Number) Value {
	if i, err := n.Int64(); err == nil {
		return NewInt(i)
	}
	f, _ := n.Float64() // infinite if n is out of range, as in PHP
	return NewFloat(f)
}
