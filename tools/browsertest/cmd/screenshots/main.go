// Command screenshots makes the pictures of the console that README and docs
// show, from the demo's story, which is the same each time:
//
//	make screenshots                                          writes docs/images/NAME-light.png and NAME-dark.png
//	go -C tools/browsertest run -trimpath ./cmd/screenshots stuck   those of this name alone
//
// It takes the pinned browser and fonts (cmd/install), whatever is on the PATH,
// so that each machine makes the same pictures. Look at each before it is
// committed.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// limit is how large a picture may be, in bytes.
const limit = 150_000

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only []string) (err error) {
	if !trimmed() {
		return errors.New("build with -trimpath: the pictures show files of the source, which stand elsewhere on each machine")
	}
	binary, err := browser.FindPinned(ctx)
	if err != nil {
		return err
	}
	root, err := browser.Root()
	if err != nil {
		return err
	}
	started, err := browser.Start(ctx, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, started.Close()) }()
	console, err := demo.Open(ctx, demo.Options{Still: true})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: console}
	defer func() { _ = server.Close() }()
	go func() { _ = server.Serve(listener) }()

	for _, p := range pictures {
		if len(only) > 0 && !slices.Contains(only, p.name) {
			continue
		}
		for _, dark := range []bool{false, true} {
			name := filepath.Join(root, "docs", "images", p.file(dark))
			if err := p.take(started, "http://"+listener.Addr().String()+"/", name, dark); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Println(name)
		}
	}
	return nil
}

// trimmed says that this program was built with -trimpath.
func trimmed() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-trimpath", Value: "true"})
}

// take makes one picture.
func (p picture) take(b *browser.Browser, url, name string, dark bool) (err error) {
	view := p.view
	view.Dark, view.Now = dark, demo.Epoch.Add(demo.Span)
	page, err := b.Page(view)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	if err := page.Open(url + p.address); err != nil {
		return err
	}
	const drawn = `document.getElementById("app")?.dataset.started && !document.querySelector(".loading")`
	if err := page.Wait(drawn); err != nil {
		return err
	}
	if err := page.Wait(p.shows); err != nil {
		return err
	}
	if p.then != nil {
		if err := errors.Join(p.then(page), page.Wait(drawn)); err != nil {
			return err
		}
	}
	if problems := page.Problems(); len(problems) > 0 {
		return fmt.Errorf("the page has problems: %q", problems)
	}
	shot, err := page.Screenshot(false)
	if err != nil {
		return err
	}
	shot, err = small(shot)
	if err != nil {
		return err
	}
	if len(shot) > limit {
		return fmt.Errorf("%d bytes are more than %d: show less", len(shot), limit)
	}
	return os.WriteFile(name, shot, 0o644)
}

// small compresses a picture as far as it goes without a change of it.
func small(shot []byte) ([]byte, error) {
	decoded, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, decoded); err != nil || b.Len() > len(shot) {
		return shot, err
	}
	return b.Bytes(), nil
}
