package cli

import (
	"slices"
	"testing"
)

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		2.5: "2.5", 12345.6: "12,350", 1.069e8: "106,900,000", -2.5682e9: "-2,568,000,000", 9999: "9999", 1e-7: "1e-07", 1e15: "1e+15", 0: "0", 0.12345: "0.1235",
	} {
		if got := Number(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(1000): "1,000", Count(1234567): "1,234,567", Count(-999): "-999", Count(int64(-1000)): "-1,000",
		Plural(1, "row"): "1 row", Plural(2000, "row"): "2,000 rows", Plural(1, "key is", "keys are"): "1 key is", Plural(0, "key is", "keys are"): "0 keys are",
		Size(8 << 30): "8 GiB", Size(1536 << 10): "1536 KiB", Size(1): "1 byte", Size(1025): "1,025 bytes",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFirst(t *testing.T) {
	all := []string{"a", "b", "c"}
	if got := First(all, 2); !slices.Equal(got, []string{"a", "b", "and 1 more"}) {
		t.Errorf("the first two of three are %q", got)
	}
	if got := First(all, 3); !slices.Equal(got, all) || all[2] != "c" {
		t.Errorf("the first three of three are %q, the list then %q", got, all)
	}
}
