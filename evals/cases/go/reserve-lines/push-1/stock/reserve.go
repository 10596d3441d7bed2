package stock

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Store is the warehouse's database.
type Store struct {
	db *sql.DB
}

// NewStore returns a store on an open database.
func NewStore(db *sql.DB) *Store {
	return &Store{db: db}
}

// Reserve takes an order's goods out of the stock, all or nothing. Where something is missing it returns a ShortError
// that names all of it.
func (s *Store) Reserve(ctx context.Context, order string, lines []Line) error {
	if len(lines) == 0 {
		return nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	have, err := available(ctx, tx, lines)
	if err != nil {
		return fmt.Errorf("look up stock: %w", err)
	}
	if short := shortages(lines, have); len(short) > 0 {
		return &ShortError{Shortages: short}
	}
	for i, line := range lines {
		if err := take(ctx, tx, line, have[line.SKU]); err != nil {
			return err
		}
		if err := note(ctx, tx, order, i, line); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// available returns what is available of each SKU; one that is not in the table is missing from the map.
func available(ctx context.Context, tx *sql.Tx, lines []Line) (map[string]int, error) {
	marks := make([]string, len(lines))
	skus := make([]any, len(lines))
	for i, line := range lines {
		marks[i] = fmt.Sprintf("$%d", i+1)
		skus[i] = line.SKU
	}
	rows, err := tx.QueryContext(ctx,
		`SELECT sku, available FROM stock WHERE sku IN (`+strings.Join(marks, ", ")+`)`, skus...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := make(map[string]int, len(lines))
	for rows.Next() {
		var sku string
		var n int
		if err := rows.Scan(&sku, &n); err != nil {
			return nil, err
		}
		have[sku] = n
	}
	return have, nil
}

func take(ctx context.Context, tx *sql.Tx, line Line, have int) error {
	_, err := tx.ExecContext(ctx,
		`UPDATE stock SET available = $1 WHERE sku = $2`, have-line.Quantity, line.SKU)
	if err != nil {
		return fmt.Errorf("reserve %s: %w", line.SKU, err)
	}
	return nil
}

func note(ctx context.Context, tx *sql.Tx, order string, i int, line Line) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO reservations (order_id, line, sku, quantity) VALUES ($1, $2, $3, $4)`,
		order, i, line.SKU, line.Quantity)
	if err != nil {
		return fmt.Errorf("note %s: %w", line.SKU, err)
	}
	return nil
}
