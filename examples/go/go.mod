module example.com/readings

go 1.26.0

require (
	github.com/orthant-go/orthant v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/james-bowman/sparse v0.0.0-20260216202247-495ee4f84d35 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f // indirect
)

replace github.com/orthant-go/orthant => ../..
