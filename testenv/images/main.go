// Command images looks up the digests of the images of others that the repository names and
// writes them to deploy/images.lock. A digest is known to a registry alone: what none could
// be asked for stays as it was.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	mirror := flag.String("mirror", "", "`URL` of a registry that has all images")
	root := flag.String("root", ".", "`FOLDER` of the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missing, err := update(ctx, &registry{&http.Client{Timeout: 30 * time.Second}, *mirror}, *root, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(2)
	}
	if missing > 0 {
		os.Exit(1)
	}
}

// update asks for the digest of every reference, writes what it learns, and returns how many
// could not be had.
func update(ctx context.Context, r *registry, root string, say io.Writer) (missing int, err error) {
	refs, err := references(root)
	if err != nil {
		return 0, err
	}
	path := filepath.Join(root, filepath.FromSlash(lockFile))
	lock, err := readLock(path)
	if err != nil {
		return 0, err
	}
	for _, ref := range refs {
		before := lock[ref]
		got, err := r.digest(ctx, ref)
		switch {
		case err != nil:
			missing++
			fmt.Fprintf(say, "%s: no answer, so it stays as it was: %v\n", ref, err)
		case got == before:
			fmt.Fprintf(say, "%s: still %s\n", ref, got)
		default:
			fmt.Fprintf(say, "%s: %s\n", ref, got)
			lock[ref] = got
		}
	}
	return missing, writeLock(path, refs, lock)
}
