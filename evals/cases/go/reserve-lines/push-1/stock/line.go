// Package stock reserves goods for orders.
package stock

import (
	"errors"
	"fmt"
	"strings"
)

// ErrShort means that less is available than an order needs.
var ErrShort = errors.New("not enough in stock")

// Line is one line of an order. The same SKU may be on several lines.
type Line struct {
	SKU      string
	Quantity int
	Gift     string
}

// Shortage is a line of which less is available than ordered.
type Shortage struct {
	SKU       string
	Ordered   int
	Available int
}

// ShortError names everything that is missing. It is an ErrShort.
type ShortError struct {
	Shortages []Shortage
}

func (e *ShortError) Error() string {
	var missing []string
	for _, s := range e.Shortages {
		missing = append(missing, fmt.Sprintf("%s (%d of %d)", s.SKU, s.Available, s.Ordered))
	}
	return fmt.Sprintf("%v: %s", ErrShort, strings.Join(missing, ", "))
}

func (e *ShortError) Unwrap() error { return ErrShort }

// shortages returns the lines of which less is available than ordered.
func shortages(lines []Line, available map[string]int) []Shortage {
	var short []Shortage
	for _, line := range lines {
		if have := available[line.SKU]; have < line.Quantity {
			short = append(short, Shortage{SKU: line.SKU, Ordered: line.Quantity, Available: have})
		}
	}
	return short
}
