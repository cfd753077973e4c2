// Orthant-wasm is the engine in a browser. Built for js/wasm, it is the program of a Web Worker: it reads a table, embeds its rows,
// finds groups or neighbours, and draws the interactive map that the command draws. Built for any other system, it puts that program
// into one page of HTML, which needs no server and reads nothing from the network: make wasm.
package main
