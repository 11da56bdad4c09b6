//! The program from outside: its command line, its answers, what it leaves behind.

mod archives;
mod cli;
mod control;
mod experiment;
mod explain;
mod others;
mod own_archive;
mod report;
mod run;
mod subject;
mod support;
mod verify;
mod worker;
