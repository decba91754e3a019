package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

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
