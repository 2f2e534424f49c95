package wptest

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Texts makes up titles and paragraphs. The same seed makes the same texts everywhere.
type Texts struct {
	*rand.Rand
	paragraphs []string // to choose from, because making each paragraph would take longer than storing it
}

// NewTexts returns the texts of a seed.
func NewTexts(seed uint64) *Texts {
	t := &Texts{Rand: rand.New(rand.NewPCG(seed, 2026))}
	for range 64 {
		t.paragraphs = append(t.paragraphs, t.paragraph())
	}
	return t
}

var (
	adjectives = strings.Fields("quiet salted northern early patient crooked borrowed golden narrow windy forgotten second slow tidal " +
		"honest painted wooden late warm stubborn")
	Things = strings.Fields("harbour lantern ferry kettle orchard bridge lighthouse market bakery rope garden bell station mill quay " +
		"map window boat river kitchen")
	places = strings.Fields("Saltwick Penmarrow Oldhithe Brackenby Gullscar Tidewell Fernholt Marlow-Quay Sandrigg Eastfleet")
	doings = strings.Fields("opens closes sings waits returns moves sleeps grows travels listens leans shines")
	little = strings.Fields("and by near under behind after before with beyond around")
)

// Pick returns one of the values at random.
func Pick[T any](t *Texts, from []T) T { return from[t.IntN(len(from))] }

// Title makes up a title such as "The crooked lantern of Oldhithe waits".
func (t *Texts) Title() string {
	s := "The " + Pick(t, adjectives) + " " + Pick(t, Things)
	switch t.IntN(3) {
	case 0:
		return s + " of " + Pick(t, places) + " " + Pick(t, doings)
	case 1:
		return s + " " + Pick(t, little) + " the " + Pick(t, Things)
	}
	return s + " " + Pick(t, doings) + " in " + Pick(t, places)
}

func (t *Texts) sentence() string {
	words := []string{"The", Pick(t, adjectives), Pick(t, Things)}
	for range 2 + t.IntN(3) {
		words = append(words, Pick(t, little), "the", Pick(t, adjectives), Pick(t, Things))
	}
	return strings.Join(append(words, Pick(t, doings)), " ") + "."
}

func (t *Texts) paragraph() string {
	var b strings.Builder
	for i := range 3 + t.IntN(3) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.sentence())
	}
	return b.String()
}

// Slug returns a title in lower case with hyphens and, if n is positive, the number n that makes it unique.
func Slug(title string, n int) string {
	s := strings.ToLower(strings.ReplaceAll(title, " ", "-"))
	if n > 0 {
		s += "-" + itoa(n)
	}
	return s
}

// Image is an attachment that content refers to.
type Image struct {
	ID   int
	File string // below the uploads directory
	Alt  string
}

func (t *Texts) Paragraph(b *strings.Builder) {
	b.WriteString("<!-- wp:paragraph -->\n<p>")
	b.WriteString(Pick(t, t.paragraphs))
	b.WriteString("</p>\n<!-- /wp:paragraph -->\n\n")
}

func (t *Texts) Picture(b *strings.Builder, home string, im Image) {
	id := itoa(im.ID)
	b.WriteString("<!-- wp:image {\"id\":" + id + ",\"sizeSlug\":\"large\",\"linkDestination\":\"none\"} -->\n")
	b.WriteString("<figure class=\"wp-block-image size-large\"><img src=\"" + home + "/wp-content/uploads/" +
		strings.TrimSuffix(im.File, ".jpg") + "-1024x683.jpg\" alt=\"" + im.Alt + "\" class=\"wp-image-" + id + "\"/></figure>\n")
	b.WriteString("<!-- /wp:image -->\n\n")
}

// Content returns blocks as the editor writes them: paragraphs, with an image after each as long as there are images.
func (t *Texts) Content(b *strings.Builder, home string, paragraphs int, images ...Image) string {
	b.Reset()
	for i := range max(paragraphs, len(images)) {
		t.Paragraph(b)
		if i < len(images) {
			t.Picture(b, home, images[i])
		}
	}
	return b.String()
}
