package mcpserver

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/internal/near"
)

// docsAt is what the address of a page begins with. Links between pages are relative, and lead from
// one resource to another.
const docsAt = "turnstile://docs/"

// SkillPage is the page that tells an agent how to work with Turnstile.
const SkillPage = "skill/SKILL.md"

// page is one of the documentation.
type page struct {
	Page  string `json:"page"`
	Title string `json:"title"`
	// Bytes is how much of an agent's context it takes.
	Bytes int `json:"bytes"`
	text  string
}

// readDocs is the input of the tool read_docs.
type readDocs struct {
	Page string `json:"page,omitempty" jsonschema:"the page, as the list has it, such as guide/stuck.md; left out for the list"`
}

// addDocs adds the pages as resources, and a tool that reads them, because many programs give an
// agent the tools alone. Neither needs a stack.
func (s *server) addDocs() error {
	pages, err := docPages(s.Docs)
	if err != nil {
		return err
	}
	for _, p := range pages {
		s.mcp.AddResource(&mcp.Resource{URI: docsAt + p.Page, Name: p.Page, Title: p.Title, MIMEType: "text/markdown", Size: int64(p.Bytes)},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: docsAt + p.Page, MIMEType: "text/markdown", Text: p.text}}}, nil
			})
	}
	mcp.AddTool(s.mcp, &mcp.Tool{Name: "read_docs", Annotations: look("Read the documentation"),
		Description: "Returns a page of Turnstile's documentation, or without a page the list of all with their sizes. " +
			"Read " + SkillPage + " before you write, change or debug an orchestration."},
		func(_ context.Context, _ *mcp.CallToolRequest, in readDocs) (*mcp.CallToolResult, any, error) {
			asked := strings.TrimPrefix(strings.TrimPrefix(in.Page, docsAt), "docs/")
			if asked == "" {
				text, err := encoded(pages)
				return textResult(text), nil, err
			}
			for _, p := range pages {
				if p.Page == asked {
					return textResult(p.text), nil, nil
				}
			}
			return nil, nil, fmt.Errorf("there is no page %q%s", asked, meant(asked, pages))
		})
	return nil
}

// meant asks whether another page was meant: one of that file in another folder, or of nearly that name.
func meant(asked string, pages []page) string {
	names := make([]string, len(pages))
	for i, p := range pages {
		names[i] = p.Page
		if path.Base(p.Page) == path.Base(asked) {
			return ": did you mean " + p.Page + "?"
		}
	}
	if name := near.Name(asked, names); name != "" {
		return ": did you mean " + name + "?"
	}
	return "; without page this tool returns the list"
}

// docPages are the pages, the skill first. The design is for people who work on Turnstile.
func docPages(docs fs.FS) ([]page, error) {
	var pages []page
	err := fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "design.md" {
			return err
		}
		text, err := fs.ReadFile(docs, name)
		if err != nil {
			return err
		}
		p := page{Page: name, Title: title(string(text)), Bytes: len(text), text: string(text)}
		if name == SkillPage {
			p.Title = "How to write, test, change and debug orchestrations"
			pages = append([]page{p}, pages...)
			return nil
		}
		pages = append(pages, p)
		return nil
	})
	return pages, err
}

// title is the first heading of a page.
func title(text string) string {
	for line := range strings.Lines(text) {
		if heading, is := strings.CutPrefix(line, "# "); is {
			return strings.TrimSpace(heading)
		}
	}
	return ""
}
