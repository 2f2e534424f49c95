package endtoend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// shape counts what makes a program tiring to read: breadth and indirection.
type shape struct{ types, functionFields, embeddedFields, packageVariables, exported int }

// mostShape holds what the program may have at most. Lower a figure when it falls. Raise one only with a reason.
var mostShape = shape{types: 768, functionFields: 83, embeddedFields: 121, packageVariables: 458, exported: 2156}

// TestShape keeps the program from growing wider again. Tests and their helpers do not count.
func TestShape(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{$d := .Dir}}{{.ImportPath}}{{range .GoFiles}} {{$d}}/{{.}}{{end}}`, "wpsitemapd/...")
	out, err := list.Output()
	wptest.Must(t, err)
	var is shape
	for line := range strings.Lines(string(out)) {
		files := strings.Fields(line)
		if strings.HasSuffix(filepath.Base(files[0]), "test") {
			continue
		}
		for _, path := range files[1:] {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			wptest.Must(t, err)
			for _, d := range f.Decls {
				is.count(d)
			}
		}
	}
	for _, figure := range []struct {
		name     string
		is, most int
	}{
		{"types", is.types, mostShape.types},
		{"fields that are functions", is.functionFields, mostShape.functionFields},
		{"embedded fields", is.embeddedFields, mostShape.embeddedFields},
		{"package variables", is.packageVariables, mostShape.packageVariables},
		{"exported names", is.exported, mostShape.exported},
	} {
		if figure.is > figure.most {
			t.Errorf("%s: %d, at most %d", figure.name, figure.is, figure.most)
		}
		t.Logf("%s: %d, at most %d", figure.name, figure.is, figure.most)
	}
}

func (s *shape) count(d ast.Decl) {
	export := func(names ...*ast.Ident) {
		for _, n := range names {
			if n.IsExported() {
				s.exported++
			}
		}
	}
	if f, ok := d.(*ast.FuncDecl); ok {
		if receiver := f.Recv; receiver == nil || ast.IsExported(receiverName(receiver.List[0].Type)) {
			export(f.Name)
		}
		return
	}
	g := d.(*ast.GenDecl)
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			export(spec.Names...)
			if g.Tok == token.VAR {
				s.packageVariables += len(spec.Names)
			}
		case *ast.TypeSpec:
			s.types++
			export(spec.Name)
			if of, ok := spec.Type.(*ast.StructType); ok {
				s.countFields(of)
			}
		}
	}
}

func (s *shape) countFields(of *ast.StructType) {
	for _, field := range of.Fields.List {
		if len(field.Names) == 0 {
			s.embeddedFields++
		}
		if _, ok := field.Type.(*ast.FuncType); ok {
			s.functionFields += max(len(field.Names), 1)
		}
	}
}

func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
