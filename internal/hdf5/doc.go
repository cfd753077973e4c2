// Package hdf5 reads matrices of numbers and lists of text from HDF5 files, as h5py, anndata,
// Cell Ranger and MATLAB 7.3 write them, of any version of the format from 1.0 to 1.14.
//
// It reads old and new groups, hard and soft links, attributes, and datasets of integers,
// floating-point numbers, enumerations and strings, whether they are compact, contiguous or
// chunked by any index, with the filters deflate, shuffle, fletcher32, LZF and zstd.
// A [Copy] of a file can have more groups, arrays and lists of text in it.
//
// It is no general library: data of more than two dimensions, compounds and references to
// regions are described and not read.
//
// A file is not trusted. Metadata are read within the length of the file, each byte a bounded
// number of times, so that circles end; checksums are verified; and memory for
// data is only taken if the stored bytes justify it.
//
// The layout is defined in "HDF5 File Format Specification Version 3.0", The HDF Group.
package hdf5
