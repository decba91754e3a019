package repeated

import (
	"math"
	"math/rand/v2"
	"testing"
)

const whole = 40. // bits of a shard of some rows

// stream is a sketch with the rows of its shards.
type stream struct {
	Sketch
	rows, forget float64
}

func (s *stream) add(bits float64, prints ...uint32) {
	for _, p := range prints {
		s.Add(Shard{p, bits}, 10, s.forget)
		s.rows = s.forget*s.rows + 10
	}
}

func (s *stream) part() float64 { return s.Part(s.rows) }

// fresh returns n fingerprints.
func fresh(r *rand.Rand, n int) []uint32 {
	p := make([]uint32, n)
	for i := range p {
		p[i] = 1 + r.Uint32N(math.MaxUint32)
	}
	return p
}

// Shards that all come twice, one to three others between, are told of from the first repeat on, and are half.
func TestTwice(t *testing.T) {
	for behind := 1; behind <= 3; behind++ {
		r := rand.New(rand.NewPCG(1, 80))
		s := stream{forget: 1}
		all := fresh(r, 500)
		for i, p := range all {
			s.add(whole, p)
			if i >= behind {
				s.add(whole, all[i-behind])
			}
			if up := s.part() > 0; up != (i >= behind) {
				t.Fatalf("%d behind: after %d shards %v: %+v", behind, i+1, up, s.Sketch)
			}
		}
		if p := s.part(); math.Abs(p-.5) > .02 || !s.valid() {
			t.Errorf("%d behind: %.3f of the rows", behind, p)
		}
	}
}

// One that came again is told of while its rows are a twentieth.
func TestOneOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 80))
	s := stream{forget: 1}
	first := fresh(r, 8)
	s.add(whole, first...)
	s.add(whole, first[6])
	for n := 9; n < 60; n++ {
		if up := s.part() > 0; up != (n <= 20) {
			t.Fatalf("%v after %d shards", up, n)
		}
		s.add(whole, fresh(r, 1)...)
	}
	late := stream{forget: 1}
	more := fresh(r, 99)
	late.add(whole, more...)
	late.add(whole, more[98])
	if late.Again.Shards != 1 || late.part() != 0 {
		t.Errorf("one of 100: %+v", late.Again)
	}
}

// A file that is sent again is told of before its end, whatever it is, and counts as what it is, half of the rows; it is
// no more once those that came once outweigh it. Of half a file most are told of.
func TestFileSentAgain(t *testing.T) {
	const streams = 300
	r := rand.New(rand.NewPCG(3, 80))
	for _, n := range []int{20, 50, 500} {
		mean, squares, told := 0., 0., map[int]int{}
		for range streams {
			s := stream{forget: 1}
			file := fresh(r, n)
			s.add(whole, file...)
			once := s
			if s.part() != 0 {
				t.Fatalf("%d shards that came once: %+v", n, s.Again)
			}
			s.add(whole, file...)
			if p := s.part(); p == 0 {
				t.Fatalf("%d shards: %+v", n, s.Again)
			}
			mean += s.part() / streams
			squares += s.part() * s.part() / streams
			for range 30 * n {
				s.add(whole, fresh(r, 1)...)
			}
			if s.part() > 0 || !s.valid() {
				t.Errorf("%d shards, long ago: %+v", n, s.Again)
			}
			for _, of := range []int{2, 4, 8} {
				s := once
				if s.add(whole, file[n/4:n/4+n/of]...); s.part() > 0 {
					told[of]++
				}
			}
		}
		sd := math.Sqrt(squares - mean*mean)
		t.Logf("%d shards: %.3f of the rows, sd %.3f; of a half, a quarter and an eighth of them in %v of %d streams", n, mean, sd, told, streams)
		if math.Abs(mean-.5) > .06 || sd > .12 || told[2] < streams*9/10 || told[4] < streams/2 {
			t.Errorf("%d shards: %.3f of the rows, sd %.3f; of a part of them in %v of %d streams", n, mean, sd, told, streams)
		}
	}
}

// One old shard that comes again is no stretch of the log.
func TestOneOldShard(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 80))
	s := stream{forget: 1}
	s.add(whole, fresh(r, 200)...)
	s.add(whole, s.Least[3])
	if s.part() != 0 || s.Again.Far != 1 || s.Again.Rows != 10 || math.Abs(float64(s.Again.Beyond)-240) > 1e-3 {
		t.Errorf("%+v", s.Again)
	}
	s.add(whole, s.Least[5])
	if p := s.part(); s.Again.Far != 2 || p < .2 || p > .3 {
		t.Errorf("%+v, %.3f of the rows", s.Again, p)
	}
}

// It takes 40 bits, of however many shards, and shards of less than 12 are not remembered.
func TestBitsOfRepeats(t *testing.T) {
	s := stream{forget: 1}
	for n, p := range fresh(rand.New(rand.NewPCG(5, 80)), 10) {
		s.add(15, p, p)
		if up := s.part() > 0; up != (n >= 2) {
			t.Errorf("%v after %d repeats of 15 bits", up, n+1)
		}
	}
	for _, bits := range []float64{11.9, 0, -3, math.NaN()} {
		var little Sketch
		if little.Add(Shard{7, bits}, 10, 1); little != (Sketch{}) {
			t.Errorf("%g bits: %+v", bits, little)
		}
	}
}

// What is forgotten is not told of.
func TestForgotten(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 80))
	s := stream{forget: .9}
	s.add(whole, fresh(r, 50)...)
	s.add(whole, s.Recent[1])
	if p := s.part(); math.Abs(p-.1) > .01 {
		t.Errorf("%.3f of the rows", p)
	}
	s.add(0, 0, 0, 0)
	if s.part() == 0 {
		t.Errorf("after three shards %+v", s.Again)
	}
	s.add(0, make([]uint32, 7)...)
	if s.part() != 0 {
		t.Errorf("after ten shards %+v", s.Again)
	}
}

// Whatever was added is read as it was written; what is cut short, or Add cannot leave, is refused.
func TestCodec(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 80))
	s := stream{forget: .99}
	for range 300 {
		s.add(40*r.Float64(), fresh(r, 1)...)
		if r.IntN(3) == 0 {
			s.add(15, s.Recent[r.IntN(recent)])
		}
		if s.Shards == 0 || s.Recent[0] == 0 {
			s = stream{forget: .99}
			continue
		}
		b := append(s.Append(nil), 1, 2, 3)
		for n := range len(b) + 1 {
			var got Sketch
			rest, ok := got.Read(b[:n])
			if ok != (n >= len(b)-3) || ok && (got != s.Sketch || len(rest) != n+3-len(b)) {
				t.Fatalf("%d of %d bytes of %+v are read as %+v, %v, %d left", n, len(b), s.Sketch, got, ok, len(rest))
			}
		}
	}
	good := s.Sketch
	for name, spoil := range map[string]func(*Sketch){
		"no shard":            func(s *Sketch) { s.Shards = 0 },
		"a negative number":   func(s *Sketch) { s.Shards = -1 },
		"none last":           func(s *Sketch) { s.Recent = [recent]uint32{} },
		"one twice":           func(s *Sketch) { s.Recent[3] = s.Recent[1] },
		"none least":          func(s *Sketch) { s.Least = [least]uint32{} },
		"not ascending":       func(s *Sketch) { s.Least[2] = s.Least[4] },
		"more repeats":        func(s *Sketch) { s.Again.Shards = s.Shards },
		"no bits":             func(s *Sketch) { s.Again.Bits = 1 },
		"too many bits":       func(s *Sketch) { s.Again.Bits = 41 },
		"no number":           func(s *Sketch) { s.Again.Rows = float32(math.NaN()) },
		"no end":              func(s *Sketch) { s.Again.Beyond = float32(math.Inf(1)) },
		"stands for nothing":  func(s *Sketch) { s.Again.Stood = .5 },
		"far":                 func(s *Sketch) { s.Again.Far = 3 },
		"a number of repeats": func(s *Sketch) { s.Again.Shards = -1 },
		"rows below 0":        func(s *Sketch) { s.Again.Rows = -1 },
	} {
		bad := good
		spoil(&bad)
		var got Sketch
		if _, ok := got.Read(bad.Append(nil)); ok {
			t.Errorf("%s: %+v is read", name, bad)
		}
	}
	zero := good.Append(nil)
	at := 0
	for zero[at]&128 != 0 {
		at++
	}
	copy(zero[at+2:], make([]byte, 4)) // the newest
	var got Sketch
	if _, ok := got.Read(zero); ok {
		t.Error("no fingerprint is read")
	}
}
