package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// registry asks a registry for digests by the distribution specification: where there is a
// mirror, that one for all images.
type registry struct {
	client *http.Client
	mirror string // a URL, "" for each image's own registry
}

// accepted are the media types of manifests: lists for all platforms first.
const accepted = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, " +
	"application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"

// mostManifest bounds what is read of a manifest, as registries do.
const mostManifest = 4 << 20

// named is a reference in its parts.
type named struct{ host, repository, tag string }

// split reads a reference as Docker does: without a host it is Docker's own registry, and
// there without a folder an official image.
func split(ref string) (n named, err error) {
	rest, tag, ok := cutLast(ref, ":")
	if !ok || strings.Contains(tag, "/") || strings.Contains(ref, "@") {
		return n, fmt.Errorf("%s: want NAME:TAG", ref)
	}
	n = named{"registry-1.docker.io", rest, tag}
	if first, more, ok := strings.Cut(rest, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		n.host, n.repository = first, more
	} else if !ok {
		n.repository = "library/" + rest
	}
	return n, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// digest returns what a registry calls the image of a reference, of all platforms where it
// is for several. It is the digest of the bytes that came, so that a registry that says
// another one is found out.
func (r *registry) digest(ctx context.Context, ref string) (string, error) {
	n, err := split(ref)
	if err != nil {
		return "", err
	}
	base := "https://" + n.host
	if r.mirror != "" {
		base = strings.TrimSuffix(r.mirror, "/")
	}
	at := base + "/v2/" + n.repository + "/manifests/" + n.tag
	resp, err := r.get(ctx, at, "")
	if err != nil {
		return "", err
	}
	if resp.StatusCode == http.StatusUnauthorized {
		_ = resp.Body.Close()
		token, err := r.token(ctx, resp.Header.Get("WWW-Authenticate"))
		if err != nil {
			return "", fmt.Errorf("%s: %w", ref, err)
		}
		if resp, err = r.get(ctx, at, token); err != nil {
			return "", err
		}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s answers %s", ref, at, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostManifest+1))
	if err == nil && len(body) > mostManifest {
		err = fmt.Errorf("a manifest of more than %d bytes", mostManifest)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	var m struct {
		Schema int `json:"schemaVersion"`
	}
	if json.Unmarshal(body, &m) != nil || m.Schema != 2 {
		return "", fmt.Errorf("%s: what %s answers is no manifest of schema 2", ref, at)
	}
	got := fmt.Sprintf("sha256:%x", sha256.Sum256(body))
	if says := resp.Header.Get("Docker-Content-Digest"); says != "" && says != got {
		return "", fmt.Errorf("%s: %s says %s, and its answer has %s", ref, at, says, got)
	}
	return got, nil
}

func (r *registry) get(ctx context.Context, at, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accepted)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.client.Do(req)
}

var challenge = regexp.MustCompile(`(\w+)="([^"]*)"`)

// token gets a token for anybody, from where a registry's challenge says.
func (r *registry) token(ctx context.Context, header string) (string, error) {
	if !strings.HasPrefix(strings.ToLower(header), "bearer ") {
		return "", fmt.Errorf("the registry wants %q, and a token for anybody is all there is", header)
	}
	q, realm := url.Values{}, ""
	for _, m := range challenge.FindAllStringSubmatch(header, -1) {
		if m[1] == "realm" {
			realm = m[2]
		} else {
			q.Set(m[1], m[2])
		}
	}
	resp, err := r.get(ctx, realm+"?"+q.Encode(), "")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	var t struct {
		Token  string `json:"token"`
		Access string `json:"access_token"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, mostManifest)).Decode(&t)
	if t.Token == "" {
		t.Token = t.Access
	}
	if err != nil || t.Token == "" || resp.StatusCode != http.StatusOK {
		return "", errors.Join(fmt.Errorf("%s gives no token: %s", realm, resp.Status), err)
	}
	return t.Token, nil
}
