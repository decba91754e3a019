package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// behind gives requests of trusted proxies the address of their client: of X-Forwarded-For the
// rightmost one that is no trusted proxy. To that address the header was made by proxies; what is
// left of it, and all that other peers send, anybody may have written.
func behind(proxies []netip.Prefix, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	trusted := func(ip netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, ok := parseAddress(r.RemoteAddr)
		forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(forwarded) - 1; ok && i >= 0 && trusted(client); i-- {
			before, is := parseAddress(strings.TrimSpace(forwarded[i]))
			if !is {
				break
			}
			client = before
		}
		if ok {
			r = r.WithContext(r.Context()) // a request is not changed for those who passed it on
			r.RemoteAddr = client.String()
		}
		next.ServeHTTP(w, r)
	})
}

// clientOf returns what stands for the client of a request: its address, of an
// IPv6 one the network, of which one machine has all addresses.
func clientOf(r *http.Request) string {
	ip, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return addressOf(r)
	}
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// addressOf returns the address of a request's client without its port.
func addressOf(r *http.Request) string {
	if ip, ok := parseAddress(r.RemoteAddr); ok {
		return ip.String()
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// parseAddress reads an address that may have a port, without its zone.
func parseAddress(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	ip, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return ip.Unmap().WithZone(""), err == nil
}
