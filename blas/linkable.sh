#!/bin/sh
# Succeeds where a program can be linked with OpenBLAS and LAPACKE.
program='int main(void){extern void openblas_set_num_threads(int); extern int LAPACKE_dpotrf(int,char,int,double*,int);
double a=4; openblas_set_num_threads(1); return LAPACKE_dpotrf(101,(char)76,1,&a,1);}'
command -v cc >/dev/null 2>&1 || exit 1
printf '%s\n' "$program" | cc -x c - -o /dev/null -lopenblas -llapacke >/dev/null 2>&1
