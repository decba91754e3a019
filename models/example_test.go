package models_test

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/models"
)

func ExampleLookup() {
	k, ok := models.Lookup("dlm")
	if !ok {
		panic("no such kind; there are: " + strings.Join(models.Kinds().Names(), ", "))
	}
	fmt.Println(k.Purpose)
	fmt.Println(k.Formula)
	fmt.Println("variants:", strings.Join(k.Variants, ", "))
	// Output:
	// a drifting level, observed with noise
	// y_s = θ_s + e_s, θ_s = φ θ_(s−1) + w_s
	// variants: corrected, paper
}
