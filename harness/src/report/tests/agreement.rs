//! Page, embedded data, tables and summary say the same.

use super::fixture::fixture;
use super::markup::{Element, read};
use super::{data, records, written};

/// What one surface says of one primary comparison: bench, arm, change in percent, verdict.
type Said = (String, String, String, String);

/// Computed from the recorded ratio, apart from the code that formats it.
fn percent(ratio: &str) -> String {
    let change = (ratio.parse::<f64>().unwrap() - 1.0) * 100.0;
    format!("{change:+.1}%").replace('-', "−")
}

fn by_table(table: &str) -> Vec<Said> {
    let primary = records(table).into_iter().filter(|record| record["family"] == "primary");
    primary.map(|r| (r["bench"].clone(), r["arm"].clone(), percent(&r["ratio"]), r["verdict"].clone())).collect()
}

fn by_data(page: &str) -> Vec<Said> {
    let data = data(page);
    let rows = data["benches"].as_array().unwrap().iter().flat_map(|bench| bench["primary"].as_array().unwrap());
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    rows.map(|row| {
        let ratio = row["ratio"]["estimate"].to_string();
        (text(&row["bench"]), text(&row["arm"]), percent(&ratio), text(&row["verdict"]))
    })
    .collect()
}

fn by_summary(summary: &str) -> Vec<Said> {
    let rows = summary.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let first = |cell: &str| cell.split(' ').next().unwrap().to_owned();
        (first(cells[0]), first(cells[1]), cells[4].to_owned(), cells[6].trim_matches('*').to_owned())
    })
    .collect()
}

fn by_page(page: &str) -> Vec<Said> {
    let elements = read(page);
    let class = |element: &Element, class: &str| element.attributes.get("class").is_some_and(|c| c.contains(class));
    let mut said = Vec::new();
    let mut bench = String::new();
    let (mut arm, mut change) = (String::new(), String::new());
    for element in &elements {
        let first = || element.text.split(' ').next().unwrap().to_owned();
        match element.name.as_str() {
            "h2" => bench = first(),
            "th" if element.attributes.get("scope").is_some_and(|scope| scope == "row") => arm = first(),
            "td" if class(element, "change") => change = element.text.clone(),
            "span" if class(element, "verdict ") && !change.is_empty() => {
                let word = element.text.split_once(' ').unwrap().1.to_owned();
                said.push((bench.clone(), arm.clone(), std::mem::take(&mut change), word));
            }
            _ => {}
        }
    }
    said
}

#[test]
fn all_surfaces_agree() {
    let files = written(&fixture());
    let page = &files["index.html"];
    let said = by_table(&files["comparison.csv"]);
    assert_eq!(said.len(), 10);
    assert_eq!(by_data(page), said);
    assert_eq!(by_summary(&files["summary.md"]), said);
    assert_eq!(by_page(page), said);
}

#[test]
fn effects_hold_each_factor_that_has_an_arm_of_its_own() {
    let files = written(&fixture());
    let comparisons = records(&files["comparison.csv"]);
    let effects = records(&files["effects.csv"]);
    let factors: Vec<_> = effects.iter().map(|e| (e["factor"].as_str(), e["bench"].as_str())).collect();
    let wanted = ["A1", "A2", "A4", "D4"].map(|factor| [(factor, "synth"), (factor, "prove")]);
    assert_eq!(factors, wanted.concat());
    for effect in &effects {
        let same = |key: &str, of: &std::collections::BTreeMap<String, String>| effect[key] == of[key];
        let comparison = comparisons.iter().find(|c| same("arm", c) && same("bench", c)).unwrap();
        for key in ["ratio", "ratio_low", "ratio_high", "verdict"] {
            assert_eq!(effect[key], comparison[key]);
        }
    }
}

#[test]
fn the_page_is_whole_and_needs_nothing_from_elsewhere() {
    let files = written(&fixture());
    assert_eq!(files.len(), 8);
    let page = &files["index.html"];
    for element in read(page) {
        assert!(!matches!(element.name.as_str(), "link" | "img" | "iframe" | "object" | "base"), "{element:?}");
        for attribute in ["src", "href", "onclick", "onload"] {
            assert!(!element.attributes.contains_key(attribute), "{element:?}");
        }
        let is_drawing = element.attributes.contains_key("viewBox") && !element.within.contains(&"tfoot".to_owned());
        assert!(!is_drawing || element.attributes.contains_key("aria-label"), "{element:?}");
    }
    for reference in ["http:", "https:", "url(", "@import", "//cdn"] {
        assert!(!page.contains(reference), "{reference}");
    }
}
