package sample

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// texts invents titles and paragraphs; the same seed gives the same ones everywhere.
type texts struct {
	*rand.Rand
	paragraphs []string // a stock to draw from: making each anew would take longer than storing it
}

func newTexts(seed uint64) *texts {
	t := &texts{Rand: rand.New(rand.NewPCG(seed, 2026))}
	for range 64 {
		t.paragraphs = append(t.paragraphs, t.paragraph())
	}
	return t
}

var (
	adjectives = strings.Fields("quiet salted northern early patient crooked borrowed golden narrow windy forgotten second slow tidal " +
		"honest painted wooden late warm stubborn")
	things = strings.Fields("harbour lantern ferry kettle orchard bridge lighthouse market bakery rope garden bell station mill quay " +
		"map window boat river kitchen")
	places = strings.Fields("Saltwick Penmarrow Oldhithe Brackenby Gullscar Tidewell Fernholt Marlow-Quay Sandrigg Eastfleet")
	doings = strings.Fields("opens closes sings waits returns moves sleeps grows travels listens leans shines")
	little = strings.Fields("and by near under behind after before with beyond around")
)

func pick[T any](t *texts, from []T) T { return from[t.IntN(len(from))] }

// title invents one such as "The crooked lantern of Oldhithe waits".
func (t *texts) title() string {
	s := "The " + pick(t, adjectives) + " " + pick(t, things)
	switch t.IntN(3) {
	case 0:
		return s + " of " + pick(t, places) + " " + pick(t, doings)
	case 1:
		return s + " " + pick(t, little) + " the " + pick(t, things)
	}
	return s + " " + pick(t, doings) + " in " + pick(t, places)
}

func (t *texts) sentence() string {
	words := []string{"The", pick(t, adjectives), pick(t, things)}
	for range 2 + t.IntN(3) {
		words = append(words, pick(t, little), "the", pick(t, adjectives), pick(t, things))
	}
	return strings.Join(append(words, pick(t, doings)), " ") + "."
}

func (t *texts) paragraph() string {
	var b strings.Builder
	for i := range 3 + t.IntN(3) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.sentence())
	}
	return b.String()
}

// slug is the title in lower case with hyphens, and the number that makes it unique.
func slug(title string, n int) string {
	s := strings.ToLower(strings.ReplaceAll(title, " ", "-"))
	if n > 0 {
		s += "-" + itoa(n)
	}
	return s
}

// image is an attachment as content refers to it.
type image struct {
	id   int
	file string // below the uploads directory
	alt  string
}

// article writes about size bytes of blocks as the editor does: paragraphs, with a heading or a
// list now and then, and the images between them at equal distances.
func (t *texts) article(b *strings.Builder, home string, size int, images ...image) string {
	b.Reset()
	b.Grow(size + 512)
	for i, shown := 0, 0; b.Len() < size-150 || shown < len(images); i++ {
		switch {
		case b.Len() >= size*(shown+1)/(len(images)+1) && shown < len(images):
			t.picture(b, home, images[shown])
			shown++
		case i%7 == 3:
			b.WriteString("<!-- wp:heading -->\n<h2 class=\"wp-block-heading\">" + t.title() + "</h2>\n<!-- /wp:heading -->\n\n")
		case i%11 == 8:
			b.WriteString("<!-- wp:list -->\n<ul class=\"wp-block-list\">")
			for range 3 {
				b.WriteString("<!-- wp:list-item -->\n<li>" + t.title() + "</li>\n<!-- /wp:list-item -->\n")
			}
			b.WriteString("</ul>\n<!-- /wp:list -->\n\n")
		default:
			t.say(b)
		}
	}
	return b.String()
}

// say writes a paragraph.
func (t *texts) say(b *strings.Builder) {
	b.WriteString("<!-- wp:paragraph -->\n<p>")
	b.WriteString(pick(t, t.paragraphs))
	b.WriteString("</p>\n<!-- /wp:paragraph -->\n\n")
}

// picture writes an image.
func (t *texts) picture(b *strings.Builder, home string, im image) {
	id := itoa(im.id)
	b.WriteString("<!-- wp:image {\"id\":" + id + ",\"sizeSlug\":\"large\",\"linkDestination\":\"none\"} -->\n")
	b.WriteString("<figure class=\"wp-block-image size-large\"><img src=\"" + home + "/wp-content/uploads/" +
		strings.TrimSuffix(im.file, ".jpg") + "-1024x683.jpg\" alt=\"" + im.alt + "\" class=\"wp-image-" + id + "\"/></figure>\n")
	b.WriteString("<!-- /wp:image -->\n\n")
}

// content writes blocks as the editor does: paragraphs, and each image after one.
func (t *texts) content(b *strings.Builder, home string, paragraphs int, images ...image) string {
	b.Reset()
	for i := range max(paragraphs, len(images)) {
		t.say(b)
		if i < len(images) {
			t.picture(b, home, images[i])
		}
	}
	return b.String()
}
