//go:build linux

package local

import (
	"context"
	"fmt"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Link is the way to a server's port. Toxics disturb what goes over it.
type Link struct {
	Name  string
	proxy *toxiproxy.Proxy
}

// proxies is what Toxiproxy's links count into; nobody asks it.
var proxies = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())

func newLink(name, upstream string) (*Link, error) {
	l := &Link{name, toxiproxy.NewProxy(proxies, name, "127.0.0.1:0", upstream)}
	if err := l.proxy.Start(); err != nil {
		return nil, fmt.Errorf("link to %s: %w", name, err)
	}
	return l, nil
}

// Addr returns the address that clients take.
func (l *Link) Addr() string { return l.proxy.Listen }

// Toxic begins to disturb one direction, upstream or downstream, in one of
// Toxiproxy's ways with its attributes as JSON.
func (l *Link) Toxic(kind, stream, attributes string) error {
	_, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(
		`{"name":"%s_%s","type":%q,"stream":%q,"attributes":%s}`, kind, stream, kind, stream, attributes)))
	return err
}

// Heal ends all toxics.
func (l *Link) Heal(ctx context.Context) { l.proxy.Toxics.ResetToxics(ctx) }

func (l *Link) close() { l.proxy.Stop() }
