//! The program from outside: its command line, its answers, what it leaves behind.

mod archives;
mod bundle;
mod cli;
mod compiled;
mod control;
mod executables;
mod experiment;
mod explain;
mod faults;
mod nvcc;
mod others;
mod own;
mod report;
mod run;
mod subject;
mod support;
mod toolkit;
mod verify;
mod worker;
