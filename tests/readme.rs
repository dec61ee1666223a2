//! The console blocks of the README and of `docs/`, run as they stand. `TRYCMD=overwrite cargo test --test readme`
//! writes their output anew.

#[test]
fn the_readme_is_true() {
    let variables = [
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "COMPOSE_FILE",
        "COMPOSEFIX_CONFIG",
        "COMPOSEFIX_PLATFORM",
        "COMPOSEFIX_FORMAT",
    ];
    let cases = trycmd::TestCases::new();
    for name in variables {
        cases.env(name, "");
    }
    cases.case("README.md").case("docs/*.md");
}
