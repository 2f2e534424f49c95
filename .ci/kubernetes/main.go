// Command kubernetes reads objects as YAML from standard input, as Kubernetes itself decodes them: an unknown field, a wrong type
// or a kind there is not is an error. With a name as argument it prints the files of the configmaps of that name.
//
//	helm template … | go run . [FILE]
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := run(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, files []string) error {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	var wrong []error
	n := 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%v\n%s", err, document))
			continue
		}
		n++
		if m, ok := object.(*core.ConfigMap); ok && len(files) > 0 {
			fmt.Fprint(out, m.Data[files[0]])
		}
		if len(files) == 0 {
			fmt.Fprintln(out, kind.Kind)
		}
	}
	if n == 0 {
		wrong = append(wrong, errors.New("there are no objects"))
	}
	return errors.Join(wrong...)
}
