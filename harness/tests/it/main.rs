//! The program from outside: its command line, its answers, what it leaves behind.

mod cli;
mod experiment;
mod report;
mod run;
mod subject;
mod support;
mod verify;
mod worker;
