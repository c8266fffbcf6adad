package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"
)

// Browser is one running process of a browser, with those that it started.
type Browser struct {
	ctx  context.Context
	stop context.CancelFunc
	// dir holds what the process writes; it is removed with it.
	dir string
	// packages is where fonts and axe-core are installed.
	packages string
}

// Start starts the browser. [Browser.Close] ends it, and so does the end of
// ctx, but that leaves its folder of temporary files.
func Start(ctx context.Context, binary Binary) (*Browser, error) {
	dir, err := os.MkdirTemp("", "browsertest-")
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "fonts.conf")
	if err := writeFontsConf(conf, binary.dir, filepath.Join(dir, "fontcache")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(binary.Path),
		chromedp.UserDataDir(filepath.Join(dir, "profile")),
		// What the tests open is their own, and in CI there is no user who
		// may make a sandbox.
		chromedp.NoSandbox,
		chromedp.Flag("no-zygote", true),
		chromedp.Flag("disable-gpu", true),
		// Scrollbars take no room, as on a phone, and are not in pictures.
		chromedp.Flag("enable-features", "NetworkService,NetworkServiceInProcess,OverlayScrollbar"),
		chromedp.Flag("hide-scrollbars", true),
		// Text has the same width on each machine.
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-lcd-text", true),
		// What has moved is drawn anew as a whole, so that a picture does not
		// depend on what stood there before.
		chromedp.Flag("disable-partial-raster", true),
		chromedp.Flag("lang", "en-US"),
		// Nothing leaves this machine; each name that ends with .test is it.
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.Env = environment(binary.libraries, "FONTCONFIG_FILE="+conf, "TZ=UTC", "LANG=en_US.UTF-8", "HOME="+dir)
		}),
		chromedp.WSURLReadTimeout(limit),
	)
	allocated, stopProcess := chromedp.NewExecAllocator(ctx, options...)
	started, stop := chromedp.NewContext(allocated)
	b := &Browser{ctx: started, dir: dir, packages: binary.dir, stop: func() { stop(); stopProcess() }}
	late := time.AfterFunc(limit, stopProcess)
	defer late.Stop()
	// The first step starts the process.
	if err := chromedp.Do(started); err != nil {
		return nil, errors.Join(fmt.Errorf("could not start %s: %w", binary.Path, err), b.Close())
	}
	return b, nil
}

// Close ends the browser and its pages, and waits for that.
func (b *Browser) Close() error {
	limited, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	// What is left after the limit, the end of the allocator kills.
	_ = chromedp.Cancel(limited)
	b.stop()
	return os.RemoveAll(b.dir)
}
