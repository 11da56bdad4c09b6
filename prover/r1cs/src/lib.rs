//! R1CS front end.
