//! The picture in the README: what the program prints about a bundled project, in colours.
//!
//! `SNAPSHOTS=overwrite cargo test --test picture` draws `docs/terminal.svg` anew; look at it before
//! you commit it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};
use support::{Fixture, Outcome, environment, put, root, run, text, variable};

const PICTURE: &str = "docs/terminal.svg";
const PROJECT: &str = "symfony-php-fpm";
const COMMANDS: [&str; 2] = ["check --select slow-tree", "apply --diff --select slow-tree"];

/// A session in the project's own directory, with what a terminal would be sent.
fn session() -> String {
    let fixture = Fixture::all().into_iter().find(|fixture| fixture.name == PROJECT).unwrap();
    let place = Path::new("/project/shop");
    let host = fixture.host(place, &BTreeMap::new());
    let typed = |command: &str| {
        let words = fixture.words(&format!("{command} --color always"));
        let Outcome { code, stdout, stderr } = run(&host, &environment(place), &words);
        assert_eq!(code, 1, "{command}: {stderr}");
        format!("\x1b[2m$\x1b[0m \x1b[1mcomposefix {command}\x1b[0m\n{stdout}{stderr}")
    };
    COMMANDS.map(typed).join("\n")
}

/// Black to white, then the same bright: each can be read on the dark ground.
const COLOURS: [(u8, u8, u8); 8] = [
    (0x6e, 0x76, 0x81),
    (0xff, 0x7b, 0x72),
    (0x56, 0xd3, 0x64),
    (0xe3, 0xb3, 0x41),
    (0x79, 0xc0, 0xff),
    (0xd2, 0xa8, 0xff),
    (0x76, 0xe3, 0xea),
    (0xf0, 0xf6, 0xfc),
];

/// Dark, since a picture cannot know what lies around it.
fn draw(session: &str) -> String {
    let colours = COLOURS.map(|(red, green, blue)| RgbColor(red, green, blue));
    let palette = Palette(std::array::from_fn(|number| colours[number % colours.len()]));
    let ground = Color::Rgb(RgbColor(0x0d, 0x11, 0x17));
    let term = Term::new().palette(palette).fg_color(Color::Rgb(colours[7])).bg_color(ground);
    term.render_svg(session.trim_end())
}

#[test]
fn the_picture_is_what_the_program_prints() {
    let drawn = draw(&session());
    let place = root().join(PICTURE);
    if variable("SNAPSHOTS").as_deref() == Some("overwrite") {
        put(&place, drawn.as_bytes());
    }
    assert!(place.is_file(), "{PICTURE} is missing: SNAPSHOTS=overwrite cargo test --test picture");
    let is_current = text(&place) == drawn;
    assert!(is_current, "{PICTURE} is stale: SNAPSHOTS=overwrite cargo test --test picture");
    assert!(drawn.len() < 60_000, "{PICTURE} takes {} bytes", drawn.len());
}

#[test]
fn the_readme_shows_the_picture() {
    let readme = text(&root().join("README.md"));
    assert!(readme.contains(&format!("]({PICTURE})")), "README.md does not show {PICTURE}");
}
