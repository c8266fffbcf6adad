package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive begins a comment that silences a finding.
const directive = "//turnstile:allow"

// comments are those of a package that silence findings.
type comments struct {
	fset   *token.FileSet
	all    []*comment
	byLine map[line][]*comment
}

// comment is one of them: //turnstile:allow CHECK reason.
type comment struct {
	pos     token.Pos
	check   check
	problem string
	used    bool
}

type line struct {
	file   string
	number int
}

func readComments(pass *analysis.Pass) *comments {
	cs := &comments{fset: pass.Fset, byLine: map[line][]*comment{}}
	for _, file := range pass.Files {
		var found []*ast.Comment
		for _, group := range file.Comments {
			for _, c := range group.List {
				if rest, ok := strings.CutPrefix(c.Text, directive); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
					found = append(found, c)
				}
			}
		}
		if len(found) == 0 {
			continue
		}
		code := codeLines(pass.Fset, file)
		alone := map[int]bool{}
		for _, c := range found {
			if n := pass.Fset.Position(c.Pos()).Line; !code[n] {
				alone[n] = true
			}
		}
		for _, c := range found {
			at := pass.Fset.Position(c.Pos())
			read := parseComment(c)
			cs.all = append(cs.all, read)
			// One that stands alone speaks of the next line that is code; several
			// may stand above each other.
			n := at.Line
			for alone[n] {
				n++
			}
			where := line{at.Filename, n}
			cs.byLine[where] = append(cs.byLine[where], read)
		}
	}
	return cs
}

// codeLines returns the lines that something but a comment begins or ends on.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

func parseComment(c *ast.Comment) *comment {
	text := strings.TrimPrefix(c.Text, directive)
	// What stands behind another // is no reason.
	text, _, _ = strings.Cut(text, "//")
	name, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	read := &comment{pos: c.Pos(), check: check(name)}
	switch {
	case name == "":
		read.problem = "which check, and why? Write " + directive + " CHECK reason, with one of " + checkNames()
	case !isCheck(name):
		read.problem = fmt.Sprintf("there is no check %q; there are %s", name, checkNames())
	case strings.TrimSpace(reason) == "":
		read.problem = fmt.Sprintf("why? Write %s %s and the reason behind it", directive, name)
	}
	return read
}

// allows reports whether a comment silences the finding at pos. One without a
// reason does, too: it is a finding itself, and one is enough.
func (cs *comments) allows(k check, pos token.Pos) bool {
	p := cs.fset.Position(pos)
	for _, c := range cs.byLine[line{p.Filename, p.Line}] {
		if c.check == k {
			c.used = true
			return true
		}
	}
	return false
}

// report reports the comments that are wrong, or too much.
func (cs *comments) report(pass *analysis.Pass) {
	for _, c := range cs.all {
		problem := c.problem
		if problem == "" && !c.used {
			problem = fmt.Sprintf("this silences nothing: there is no finding of %s here; remove it", c.check)
		}
		if problem != "" {
			pass.Report(analysis.Diagnostic{Pos: c.pos, Category: string(allow), Message: string(allow) + ": " + problem})
		}
	}
}
