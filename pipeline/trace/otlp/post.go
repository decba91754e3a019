package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// awayError reports a collector that may take the same spans later.
type awayError struct {
	err   error
	after time.Duration // that the collector asks for; 0: it does not say
}

// Error says what the collector answered, or that it did not.
func (e *awayError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *awayError) Unwrap() error { return e.err }

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

// post sends a request and returns how many of its spans the collector did not take. The
// error is an *awayError unless the collector will never take them.
func (e *Exporter) post(ctx context.Context, body []byte) (lost int64, err error) {
	header, err := headers(e.options.HeadersFile)
	if err != nil {
		return 0, &awayError{err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, packed(body))
	if err != nil {
		return 0, err
	}
	req.Header = header
	header.Set("Content-Type", "application/x-protobuf")
	header.Set("Content-Encoding", "gzip")
	header.Set("User-Agent", "credence/"+e.options.Version)
	answer, err := e.client.Do(req)
	if err != nil {
		return 0, &awayError{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusBadGateway, code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		return 0, &awayError{fmt.Errorf("%s answers %s", e.url, answer.Status), retryAfter(answer.Header)}
	case code < 200 || code >= 300:
		return 0, fmt.Errorf("%s answers %s: see traces.endpoint and traces.headers_file", e.url, answer.Status)
	case err != nil:
		return 0, nil // it has taken them, whatever else it would have said
	}
	return rejected(said), nil
}

// retryAfter is how long a collector wants no request: seconds, or until a date, but never
// longer than mostQuiet. Without a word of it, or with one that is neither, it is 0.
func retryAfter(h http.Header) time.Duration {
	said := h.Get("Retry-After")
	left := time.Duration(0)
	if seconds, err := strconv.ParseUint(said, 10, 32); err == nil {
		left = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(said); err == nil {
		left = time.Until(at)
	}
	return min(max(left, 0), mostQuiet)
}

// packed compresses a request, as every collector can read it.
func packed(body []byte) *bytes.Reader {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return bytes.NewReader(b.Bytes())
}
