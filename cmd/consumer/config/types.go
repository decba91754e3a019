package config

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
)

// size is a number of bytes, written as 4MiB.
type size int64

type unit struct {
	name  string
	bytes int64
}

// units returns the binary units from the largest and then the decimal ones.
func units() []unit {
	return []unit{
		{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
	}
}

func parseSize(text string) (size, error) {
	digits, factor := strings.TrimSpace(text), int64(1)
	for _, u := range units() {
		if rest, ok := strings.CutSuffix(digits, u.name); ok {
			digits, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= float64(factor)
	if err != nil || !(n >= 0) || n >= 1<<53 || n != math.Trunc(n) {
		return 0, fmt.Errorf("%q is not a size such as 512KiB, 4MiB or 1GiB", text)
	}
	return size(n), nil
}

func (s size) String() string {
	for _, u := range units()[:4] {
		if s != 0 && int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(s)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

func (s *size) decodeNode(d *decoder, n yamlNode, path string) {
	v, err := parseSize(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		d.fail(n, path, "%s is not a size such as 512KiB, 4MiB or 1GiB", describe(n))
		return
	}
	*s = v
}

// MarshalYAML writes the form that decodeNode reads.
func (s size) MarshalYAML() (any, error) { return s.String(), nil }

// Duration is a length of time, written as 1s.
type Duration time.Duration

// String writes the form that a configuration has.
func (t Duration) String() string {
	text := time.Duration(t).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func (t *Duration) decodeNode(d *decoder, n yamlNode, path string) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		d.fail(n, path, "%s is not a duration such as 500ms, 1s or 1h", describe(n))
		return
	}
	*t = Duration(v)
}

// MarshalYAML writes the form that decodeNode reads.
func (t Duration) MarshalYAML() (any, error) { return t.String(), nil }

// clock is cdf.Clock as written: shard, row or a duration of event time.
type clock cdf.Clock

func (c *clock) decodeNode(d *decoder, n yamlNode, path string) {
	if n.Kind == yaml.ScalarNode && (n.Value == "shard" || n.Value == "row") {
		*c = clock{Unit: n.Value}
		return
	}
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < time.Millisecond || v%time.Millisecond != 0 {
		d.fail(n, path, "%s is none of: shard, row, a duration of whole milliseconds such as 1h", describe(n))
		return
	}
	*c = clock{Unit: "duration", Millis: v.Milliseconds()}
}

// MarshalYAML writes the form that decodeNode reads.
func (c clock) MarshalYAML() (any, error) {
	if c.Unit != "duration" {
		return c.Unit, nil
	}
	return Duration(time.Duration(c.Millis) * time.Millisecond).String(), nil
}

// Network is addresses that begin alike, as 10.0.0.0/8.
type Network string

func (w *Network) decodeNode(d *decoder, n yamlNode, path string) {
	v, err := netip.ParsePrefix(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		d.fail(n, path, "%s is not a network such as 10.0.0.0/8, 192.0.2.7/32 or fd00::/8", describe(n))
	case v.Addr().Is4In6():
		d.fail(n, path, "%s is IPv4 written as IPv6: write it as 10.0.0.0/8", describe(n))
	case v.Masked() != v:
		d.fail(n, path, "%s has an address beyond its %d bits: write %v, or %v for this address alone", describe(n), v.Bits(), v.Masked(), netip.PrefixFrom(v.Addr(), v.Addr().BitLen()))
	case v.Bits() == 0:
		d.fail(n, path, "%s is every address: whoever reaches the server could say to be anybody", describe(n))
	default:
		*w = Network(v.String())
	}
}
