//! composefix finds slow bind mounts in Docker Compose projects and rewrites them.
#![warn(missing_docs)]
pub mod error;
pub mod host;
pub mod rules;
pub mod source;
pub mod survey;
pub mod write;
pub mod yaml;
