package sparse

// fork runs do on a goroutine of its own. join waits for its end and raises its panic
// again where it is called: a panic that nobody recovers would end the process, whatever
// its caller is written in.
func fork(do func()) (join func()) {
	done := make(chan struct{})
	var crash any
	go func() {
		defer close(done)
		defer func() { crash = recover() }()
		do()
	}()
	return func() {
		<-done
		if crash != nil {
			panic(crash)
		}
	}
}
