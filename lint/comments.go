package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive is the prefix of a comment that silences a finding.
const directive = "//turnstile:allow"

// comments are the comments of a package that silence findings.
type comments struct {
	fset   *token.FileSet
	all    []*comment
	byLine map[line][]*comment
}

// comment is one comment: //turnstile:allow CHECK reason.
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
			// A comment on a line of its own applies to the next line of code; several may follow
			// each other.
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

// codeLines returns the lines on which code begins or ends.
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
	// Text after another // is not part of the reason.
	text, _, _ = strings.Cut(text, "//")
	name, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	read := &comment{pos: c.Pos(), check: check(name)}
	switch {
	case name == "":
		read.problem = "the check and the reason are missing: write " + directive + " CHECK reason, with one of " + checkNames()
	case !isCheck(name):
		read.problem = fmt.Sprintf("the check %q does not exist: use one of %s", name, checkNames())
	case strings.TrimSpace(reason) == "":
		read.problem = fmt.Sprintf("the reason is missing: write %s %s and the reason", directive, name)
	}
	return read
}

// allows reports whether a comment silences the finding at pos. A comment without a reason also
// silences it, because the comment is itself a finding.
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

// report reports comments that are wrong or unnecessary.
func (cs *comments) report(pass *analysis.Pass) {
	for _, c := range cs.all {
		problem := c.problem
		if problem == "" && !c.used {
			problem = fmt.Sprintf("the comment silences nothing, because %s has no finding here: remove it", c.check)
		}
		if problem != "" {
			pass.Report(analysis.Diagnostic{Pos: c.pos, Category: string(allow), Message: string(allow) + ": " + problem})
		}
	}
}
