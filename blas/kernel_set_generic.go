package blas

// genericSet is the set of every build and processor: Go code alone.
var genericSet = kernelSet{
	level:    isaGeneric,
	usable:   func() bool { return true },
	family64: &genericFamily64,
	family32: &genericFamily32,
}

var genericFamily64 = family[float64]{
	lanes: 4, base: 1, rows: [5]int{0, 2}, scratch: &scratch64, pack: packRows[float64],
	tiles: [5][maxRows + 1][2]tileFunc[float64]{1: {
		1: {tileGeneric64(1), tileGeneric64(1)}, 2: {tileGeneric64(2), tileGeneric64(2)},
	}},
}

var genericFamily32 = family[float32]{
	lanes: 4, base: 1, rows: [5]int{0, 2}, scratch: &scratch32, pack: packRows[float32],
	tiles: [5][maxRows + 1][2]tileFunc[float32]{1: {
		1: {tileGeneric32(1), tileGeneric32(1)}, 2: {tileGeneric32(2), tileGeneric32(2)},
	}},
}
