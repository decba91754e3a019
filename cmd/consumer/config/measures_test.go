package config

import (
	"strings"
	"testing"
)

// Units are printed as they were written and change no model.
func TestUnits(t *testing.T) {
	with, err := shop(t, shopModel+"    units: {price: EUR, sold: pieces}\n")
	if err != nil {
		t.Fatal(err)
	}
	without, err := shop(t, shopModel)
	if err != nil {
		t.Fatal(err)
	}
	if u := with.Models[0].Units; u["price"] != "EUR" || u["sold"] != "pieces" || len(u) != 2 {
		t.Errorf("units %v", u)
	}
	if with.Models[0].Spec.Fingerprint() != without.Models[0].Spec.Fingerprint() {
		t.Error("units change the fingerprint")
	}
	again, err := shop(t, with.String())
	if err != nil || again.Models[0].Units["price"] != "EUR" || strings.Contains(without.String(), "units:") {
		t.Errorf("printed and read again: %v\n%s", err, with)
	}
}
