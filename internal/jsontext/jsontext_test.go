package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
)

func TestNumberIsWrittenAsEncodingJSONDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, math.Copysign(0, -1), 1, -1, 1e-6, 9.99e-7, 1e-9, 1e21, 9.99e20, 1e-10, 1e100, 5e-324, math.MaxFloat64, 0.1}
	for range 20000 {
		values = append(values, math.Float64frombits(rng.Uint64()), rng.NormFloat64())
	}
	for _, v := range values {
		got := string(AppendNumber([]byte("x"), v))[1:]
		if !Defined(v) {
			if got != "null" {
				t.Fatalf("%v: %s", v, got)
			}
			continue
		}
		want, err := json.Marshal(v)
		if err != nil || got != string(want) {
			t.Fatalf("%v: got %s, encoding/json writes %s (%v)", v, got, want, err)
		}
	}
}

func TestStringReadsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", "beta[a]", "q\"\\/\b\n\r\t\x00\x1f\x7f", "é漢\U0001F600\u2028", "<&>"}
	for range 2000 {
		b := make([]byte, rng.IntN(12))
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		texts = append(texts, string(b))
	}
	for _, s := range texts {
		text := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%q is written %s: %v", s, text, err)
		}
		if want := string(bytes.ToValidUTF8([]byte(s), []byte("\ufffd"))); utf8.ValidString(s) && back != s || !utf8.ValidString(s) && !utf8.ValidString(back) || len([]rune(back)) < len([]rune(want)) {
			t.Fatalf("%q reads back as %q", s, back)
		}
	}
}

func TestScalingKeepsItsOrder(t *testing.T) {
	want := []cdf.Constant{{Column: "z", Center: 1.5, Scale: 2}, {Column: "a\"", Center: -3e-9, Scale: 1}, {Column: "m", Center: 0, Scale: 1e30}}
	text := AppendScaling(nil, want)
	if got := `{"z":{"center":1.5,"scale":2},"a\"":{"center":-3e-9,"scale":1},"m":{"center":0,"scale":1e+30}}`; string(text) != got {
		t.Fatalf("got %s", text)
	}
	var back Scaling
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != len(want) {
		t.Fatalf("%d constants read back", len(back))
	}
	for i := range want {
		if back[i] != want[i] {
			t.Fatalf("constant %d: %v", i, back[i])
		}
	}
}

func TestTimeHasThreeDigitsAndFourOfTheYear(t *testing.T) {
	for millis, want := range map[int64]string{
		-1:                 "1970-01-01T00:00:00.001Z",
		0:                  "1970-01-01T00:00:00.001Z",
		1000:               "1970-01-01T00:00:01.000Z",
		1790000000120:      "2026-09-21T14:13:20.120Z",
		math.MaxInt64:      "9999-12-31T23:59:59.999Z",
		253402300800000:    "9999-12-31T23:59:59.999Z",
		math.MinInt64:      "1970-01-01T00:00:00.001Z",
		253402300799999:    "9999-12-31T23:59:59.999Z",
		951782400000 + 123: "2000-02-29T00:00:00.123Z",
	} {
		if got := string(AppendTime(nil, millis)); got != want {
			t.Errorf("%d: %s, want %s", millis, got, want)
		}
	}
}

func TestTimeIsWrittenAsTheLibraryDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		millis := 1 + rng.Int64N(lastTime)
		want := time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z")
		if got := string(AppendTime(nil, millis)); got != want {
			t.Fatalf("%d: %s, want %s", millis, got, want)
		}
	}
}
