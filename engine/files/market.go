package files

import (
	"errors"

	"github.com/orthant-go/orthant/sparse"
)

// readMarket reads a MatrixMarket file.
func readMarket(loc location, o Options) (sparse.Market, error) {
	s, err := openContent(loc, o)
	if err != nil {
		return sparse.Market{}, err
	}
	defer s.Close()
	return parseMarket(s, o.MaxBytes)
}

func parseMarket(s source, limit int64) (sparse.Market, error) {
	market, err := sparse.ReadMatrixMarketWithin(s, limit)
	if e, ok := errors.AsType[*sparse.MarketError](err); ok {
		return market, errors.New(e.Detail())
	}
	return market, err
}
