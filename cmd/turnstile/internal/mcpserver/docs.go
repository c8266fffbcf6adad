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

// docsAt is the prefix of the pages' URIs. Links between pages are relative, so they also work
// between the resources.
const docsAt = "turnstile://docs/"

// SkillPage is the page that teaches agents to work with Turnstile.
const SkillPage = "skill/SKILL.md"

// page is a page of the documentation.
type page struct {
	Page  string `json:"page"`
	Title string `json:"title"`
	// Bytes is the size of the page.
	Bytes int `json:"bytes"`
	text  string
}

// readDocs is the input of the tool read_docs.
type readDocs struct {
	Page string `json:"page,omitempty" jsonschema:"page from the list, such as guide/stuck.md; omit it to get the list"`
}

// addDocs adds the pages as resources. It also adds a tool that reads them, because many clients
// offer only tools to the agent. Neither needs a stack.
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
		Description: "Returns a page of Turnstile's documentation, or, without a page, the list of all pages with their sizes. " +
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
			return nil, nil, fmt.Errorf("page %q does not exist%s", asked, meant(asked, pages))
		})
	return nil
}

// meant returns a "did you mean" suffix with a page of the same file name in another folder, or of
// a similar name.
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
	return "; call the tool without page to get the list"
}

// docPages returns the pages, the skill first. It omits the design, which is for developers of
// Turnstile.
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

// title returns the first heading of a page.
func title(text string) string {
	for line := range strings.Lines(text) {
		if heading, is := strings.CutPrefix(line, "# "); is {
			return strings.TrimSpace(heading)
		}
	}
	return ""
}
