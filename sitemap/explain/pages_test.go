package explain

import (
	"slices"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestUploadForms(t *testing.T) {
	t.Parallel()
	const folder = "https://a.test/2024/01/"
	for _, tt := range []struct{ rule, asked, listed string }{
		{"the original", "a.jpg", "a.jpg"},
		{"the original of a scaled image", "a.jpg", "a-scaled.jpg"},
		{"the original of a rotated image", "a.jpg", "a-rotated.jpg"},
		{"a size", "a-300x200.jpg", "a.jpg"},
		{"a size of a scaled image", "a-300x200.jpg", "a-scaled.jpg"},
		{"a name that looks like a size", "a-300x200.jpg", "a-300x200.jpg"},
		{"a scaled image", "a-scaled.jpg", "a-scaled.jpg"},
		{"with a query", "a-300x200.jpg?ver=2", "a.jpg"},
		{"listed with its query", "a.jpg?ver=2#x", "a.jpg?ver=2#x"},
		{"a video", "a.mp4?t=3.5", "a.mp4"},
	} {
		expect.Equal(t, slices.Contains(uploadForms(folder+tt.asked), folder+tt.listed), true, tt.rule)
	}
	expect.Equal(t, slices.Contains(uploadForms(folder+"a-b.jpg"), folder+"a.jpg"), false, "another image")
}

func TestFoundSentence(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]string{
		"": "A sitemap lists the file itself.", "image": "It is an image of https://a.test/p/.", "file": "It is the file of a video of https://a.test/p/.",
		"player": "It is the player of a video of https://a.test/p/.", "preview image": "It is the preview image of a video of https://a.test/p/.",
	} {
		expect.Equal(t, Found{Loc: "https://a.test/p/", Media: media}.sentence(), want)
	}
}
