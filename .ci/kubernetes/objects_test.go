// Package kubernetes tests what docs/deploy has for Kubernetes; .ci/charts runs it.
package kubernetes

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	objects = flag.String("objects", "", "the objects as YAML")
	config  = flag.String("config", "", "gets the configurations of wpsitemapd that are in them")
)

// Objects are decoded as Kubernetes itself does: an unknown field, a wrong type or a kind there is not is an error.
func TestObjects(t *testing.T) {
	in, err := os.Open(*objects)
	if err != nil {
		t.Skip("no objects: -objects FILE")
	}
	defer in.Close()
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents, found, text := yaml.NewYAMLReader(bufio.NewReader(in)), 0, ""
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, document)
			continue
		}
		found++
		t.Log(kind.Kind)
		if m, ok := object.(*core.ConfigMap); ok {
			text += m.Data["wpsitemapd.toml"]
		}
	}
	if found == 0 {
		t.Error("there are no objects")
	}
	if err := os.WriteFile(*config, []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}
