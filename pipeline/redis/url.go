package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// target is what a URL says.
type target struct {
	addrs          []string
	user, password string
	master         string
	db             int
	cluster, tls   bool
}

// parseURL reads a URL by hand: net/url refuses lists of hosts. No error
// repeats a part of the URL, which might be part of a password that was not
// encoded.
func parseURL(raw string) (target, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	t := target{}
	port, sentinel := "6379", false
	switch {
	case !ok:
		return t, errors.New("redis url: no scheme; for example redis://127.0.0.1:6379/0")
	case scheme == "redis":
	case scheme == "rediss":
		t.tls = true
	case scheme == "redis+cluster":
		t.cluster = true
	case scheme == "rediss+cluster":
		t.cluster, t.tls = true, true
	case scheme == "redis+sentinel":
		port, sentinel = "26379", true
	case scheme == "rediss+sentinel":
		port, sentinel, t.tls = "26379", true, true
	default:
		return t, errors.New("redis url: the scheme is none of redis, rediss, redis+cluster, rediss+cluster, redis+sentinel, rediss+sentinel")
	}
	if strings.ContainsRune(rest, '?') {
		return t, errors.New("redis url: options after '?' are not known; a '?' in a password is written %3F")
	}
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ := strings.Cut(authority[:i], ":")
		var err1, err2 error
		t.user, err1 = url.PathUnescape(user)
		t.password, err2 = url.PathUnescape(password)
		if err1 != nil || err2 != nil {
			return t, errors.New("redis url: bad percent-encoding in user or password")
		}
		authority = authority[i+1:]
	}
	for i, host := range strings.Split(authority, ",") {
		addr, err := address(host, port)
		if err != nil {
			return t, fmt.Errorf("redis url: host %d: %w; a '/' in a password is written %%2F", i+1, err)
		}
		t.addrs = append(t.addrs, addr)
	}
	if len(t.addrs) > 1 && !t.cluster && !sentinel {
		return t, errors.New("redis url: several hosts need redis+cluster or redis+sentinel")
	}
	if sentinel {
		t.master, path, _ = strings.Cut(path, "/")
		if t.master == "" {
			return t, errors.New("redis url: redis+sentinel needs the name of the master: redis+sentinel://host:26379/master")
		}
	}
	if path != "" {
		db, err := strconv.Atoi(path)
		if err != nil || db < 0 {
			return t, errors.New("redis url: the database after '/' is not a number; a '/' in a password is written %2F")
		}
		t.db = db
	}
	if t.cluster && t.db != 0 {
		return t, errors.New("redis url: a cluster has only database 0")
	}
	return t, nil
}

// address completes a host with the default port.
func address(host, port string) (string, error) {
	if h, p, err := net.SplitHostPort(host); err == nil {
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("the port is not a number from 1 to 65535")
	}
	if host == "" || strings.ContainsAny(host, "@[]/ ") {
		return "", errors.New("no host name")
	}
	return net.JoinHostPort(host, port), nil
}
