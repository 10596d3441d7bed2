package stock

import (
	"errors"
	"testing"
)

func TestEverythingMissingIsNamed(t *testing.T) {
	lines := []Line{{SKU: "mug", Quantity: 2}, {SKU: "bowl", Quantity: 1}, {SKU: "plate", Quantity: 6}}

	err := error(&ShortError{Shortages: shortages(lines, map[string]int{"mug": 1, "plate": 6})})

	if !errors.Is(err, ErrShort) {
		t.Errorf("%v is no ErrShort", err)
	}
	if want := "not enough in stock: mug (1 of 2), bowl (0 of 1)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestNothingIsMissing(t *testing.T) {
	if short := shortages([]Line{{SKU: "mug", Quantity: 2}}, map[string]int{"mug": 2}); short != nil {
		t.Errorf("got %v", short)
	}
}
