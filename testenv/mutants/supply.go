package main

// ofSupply are faults of how images are made and found.
var ofSupply = []mutant{
	{"an image with the time of its build", "testenv/release/oci/file.go",
		"Mode: posix(f.Mode), ModTime: at,", "Mode: posix(f.Mode), ModTime: at.Add(time.Since(at)),", "TestLayout", []string{"./testenv/release/oci"}},
	{"an attachment to no image", "testenv/release/oci/layout.go",
		`l.add(mediaEmpty, []byte("{}")), Subject: &subject,`, `l.add(mediaEmpty, []byte("{}")), Subject: &Descriptor{Size: subject.Size},`, "TestLayout", []string{"./testenv/release/oci"}},
	{"an instruction of the Dockerfile left out", "testenv/release/recipe.go",
		"return fmt.Errorf(\"testenv/release does not know this instruction\")", "return nil", "TestRecipe", []string{"./testenv/release"}},
	{"a digest that the registry says, not that of the bytes", "testenv/images/registry.go",
		`says != "" && says != got`, `says != "" && says == got+"x"`, "TestDigestsAreLookedUp", []string{"./testenv/images"}},
	{"a digest lost when a registry does not answer", "testenv/images/main.go",
		"missing++\n", "missing++\n\t\t\tdelete(lock, ref)\n", "TestDigestsAreLookedUp", []string{"./testenv/images"}},
}
