package lint

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// A misspelt name, or one that a new version of Go no longer has, would silently find nothing or
// allow nothing.
func TestEachNameInTheTableExistsInItsPackage(t *testing.T) {
	t.Parallel()
	var standard []string
	for _, path := range slices.Sorted(maps.Keys(tables)) {
		if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			standard = append(standard, path)
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, standard...)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) != len(standard) {
		t.Fatalf("%d packages for %d paths", len(loaded), len(standard))
	}
	for _, p := range loaded {
		for _, wrong := range []string{"Nonsense", "Nonsense.Method", "Nonsense*"} {
			if has(p.Types, wrong) {
				t.Fatalf("%s is said to have %s", p.PkgPath, wrong)
			}
		}
		for _, r := range tables[p.PkgPath] {
			for _, name := range strings.Fields(r.only + " " + r.except) {
				if !has(p.Types, name) {
					t.Errorf("%s has no %s", p.PkgPath, name)
				}
			}
		}
	}
}

func has(p *types.Package, name string) bool {
	owner, method, isMethod := strings.Cut(name, ".")
	prefix, wide := strings.CutSuffix(owner, "*")
	if wide {
		return slices.ContainsFunc(p.Scope().Names(), func(n string) bool { return strings.HasPrefix(n, prefix) })
	}
	obj := p.Scope().Lookup(owner)
	if obj == nil || !isMethod || method == "*" {
		return obj != nil
	}
	m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p, method)
	return m != nil
}

func TestAWSClientsUseTheNetwork(t *testing.T) {
	t.Parallel()
	p := types.NewPackage("github.com/aws/aws-sdk-go-v2/service/dynamodb", "dynamodb")
	method := func(owner, name string) *types.Func {
		named := types.NewNamed(types.NewTypeName(0, p, owner, nil), types.NewStruct(nil, nil), nil)
		recv := types.NewVar(0, p, "c", types.NewPointer(named))
		return types.NewFunc(0, p, name, types.NewSignatureType(recv, nil, nil, nil, nil, false))
	}
	if r := ruleFor(method("Client", "GetItem")); r == nil || r.check != network {
		t.Errorf("Client.GetItem: %+v", r)
	}
	if r := ruleFor(method("GetItemInput", "Anything")); r != nil {
		t.Errorf("GetItemInput.Anything: %+v", r)
	}
}
