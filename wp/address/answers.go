package address

import (
	"encoding/json"
	"maps"
)

// The answers of a site are stored as JSON, with what the last reading found (Book.Routed). So a daemon that starts need not ask again,
// and the names of the fields must stay.

// Answers says whether the site answers at the addresses that it was asked for. The key "post book" stands for the post type book, the
// key "post book#17" for the post 17 of that type.
type Answers map[string]answer

// Into adds the answers to a text that Book.Routed returned, and returns the new text. It returns the text unchanged
// if it cannot be decoded.
func (a Answers) Into(before string) string {
	known := routed{}
	if json.Unmarshal([]byte(before), &known) != nil {
		return before
	}
	if known.Answers == nil {
		known.Answers = Answers{}
	}
	maps.Copy(known.Answers, a)
	text, _ := json.Marshal(known) // cannot fail: known has plain values only
	return string(text)
}

// answer is what the site said to a question, and when.
type answer struct {
	Question string // the hash of the question
	Of       *pair  // the two addresses of a single object; nil for a type
	Right    right  `json:"Said"`
	Shown    string // the evidence that the objects are elsewhere
	Asked    int    // number of pages that were requested
	At       int64  // Unix seconds
}

// pair is the computed and the stored address of an object.
type pair struct{ Computed, Stored string }

// right says which addresses of a type or an object are right. It is "" if that is not known.
type right string

const (
	rightComputed  right = "computed"  // the computed addresses
	rightStored    right = "stored"    // the stored addresses
	rightElsewhere right = "elsewhere" // neither the computed addresses nor any that is stored
)
