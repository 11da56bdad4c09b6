//! Prints what circuits get from `bellpepper-core`: every gadget's variables, constraints, names and values, and those of
//! bellpepper's and neptune's circuits. Built twice, against the published package and against ours; the output must be the same.

mod circuits;
mod combinations;
mod gates;
mod matrices;
mod numbers;
mod report;
mod systems;

fn main() {
    // Panics are results here, and their texts are nobody's interface.
    std::panic::set_hook(Box::new(|_| {}));
    combinations::print();
    gates::print();
    numbers::print();
    systems::print();
    circuits::print();
}
