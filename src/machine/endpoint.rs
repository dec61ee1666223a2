//! Where the engine listens, in the order in which the docker command line decides it.

use std::path::PathBuf;

use super::look::Look;
use crate::host::System;

/// Where the engine listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// A socket file that somebody chose.
    Socket(PathBuf),
    /// A named pipe of Windows that somebody chose, by its last name.
    Pipe(String),
    /// A port of this machine.
    Loopback,
    /// Another machine, with the scheme by which it is reached.
    Remote(String),
    /// Nobody chose anything: the engine's usual place.
    Usual,
}

/// Finds it: `DOCKER_HOST`, `DOCKER_CONTEXT`, `currentContext` of the configuration, the usual place.
///
/// # Errors
/// Why there is no answer; lower case, no full stop.
pub(super) fn find(look: &mut Look<'_>) -> Result<Endpoint, String> {
    if let Some(address) = look.variable("DOCKER_HOST") {
        let endpoint = parse(address, look.environment.system)?;
        let says = describe(look, &endpoint);
        look.saw_variable("DOCKER_HOST", &says);
        return Ok(endpoint);
    }
    let Some(directory) = look.variable_or_home("DOCKER_CONFIG", ".docker") else {
        return Ok(Endpoint::Usual);
    };
    let context = match look.variable("DOCKER_CONTEXT") {
        Some(name) => {
            look.saw_variable("DOCKER_CONTEXT", &format!("the context is `{name}`"));
            Some(name.to_owned())
        }
        None => current_context(look, &directory.join("config.json")),
    };
    match context {
        Some(name) if name != "default" => endpoint_of(look, &directory, &name),
        _ => Ok(Endpoint::Usual),
    }
}

fn current_context(look: &mut Look<'_>, file: &std::path::Path) -> Option<String> {
    let config = look.json(file)?;
    let name = config.get("currentContext")?.as_str().filter(|name| !name.is_empty())?.to_owned();
    look.saw(file, "currentContext", &format!("the context is `{name}`"));
    Some(name)
}

/// The endpoint of a context. Its folder is called by a hash of its name; the file inside says the
/// name, so all of them are looked at.
fn endpoint_of(
    look: &mut Look<'_>,
    directory: &std::path::Path,
    name: &str,
) -> Result<Endpoint, String> {
    let folder = directory.join("contexts/meta");
    for entry in look.names(&folder) {
        let file = folder.join(entry).join("meta.json");
        let Some(meta) = look.json(&file) else { continue };
        if meta.get("Name").and_then(|own| own.as_str()) != Some(name) {
            continue;
        }
        let address = meta.pointer("/Endpoints/docker/Host").and_then(|host| host.as_str());
        let endpoint = match address.filter(|address| !address.is_empty()) {
            Some(address) => parse(address, look.environment.system)?,
            None => Endpoint::Usual,
        };
        let says = describe(look, &endpoint);
        look.saw(&file, "Endpoints.docker.Host", &says);
        return Ok(endpoint);
    }
    Err(format!("the context `{name}` is not among those of {}", look.shown(&folder)))
}

/// Reads an address as `DOCKER_HOST` has it. Without a scheme it is `tcp`.
fn parse(address: &str, system: System) -> Result<Endpoint, String> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("tcp", address));
    match scheme {
        "unix" if system == System::Windows => {
            Err("a socket file is chosen, which Docker does not know on Windows".to_owned())
        }
        "unix" if rest.is_empty() => Ok(Endpoint::Usual),
        "unix" => Ok(Endpoint::Socket(PathBuf::from(rest))),
        "npipe" => {
            let name = rest.replace('\\', "/");
            Ok(Endpoint::Pipe(name.rsplit('/').next().unwrap_or_default().to_owned()))
        }
        "tcp" | "http" | "https" if is_loopback(rest) => Ok(Endpoint::Loopback),
        "tcp" | "http" | "https" | "ssh" => Ok(Endpoint::Remote(scheme.to_owned())),
        other => Err(format!("the engine's address has the scheme `{other}`, which is not known")),
    }
}

/// True for an address of this machine: `localhost:2375`, `127.0.0.1`, `[::1]:2376`.
fn is_loopback(address: &str) -> bool {
    let authority = address.split('/').next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost") || host.starts_with("127.") || host == "::1"
}

/// What evidence says of an address. Hosts and users of other machines are not shown.
fn describe(look: &Look<'_>, endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Socket(path) => format!("the engine listens at {}", look.shown(path)),
        Endpoint::Pipe(name) => format!("the engine listens at the pipe {name}"),
        Endpoint::Loopback => "the engine listens at a port of this machine".to_owned(),
        Endpoint::Remote(scheme) => format!("the engine is reached by {scheme}://…"),
        Endpoint::Usual => "the engine listens at its usual place".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        let socket = |path: &str| Ok(Endpoint::Socket(PathBuf::from(path)));
        let remote = |scheme: &str| Ok(Endpoint::Remote(scheme.to_owned()));
        for (address, endpoint) in [
            ("unix:///var/run/docker.sock", socket("/var/run/docker.sock")),
            ("unix://", Ok(Endpoint::Usual)),
            ("npipe:////./pipe/docker_engine", Ok(Endpoint::Pipe("docker_engine".to_owned()))),
            (r"npipe://\\.\pipe\docker_engine", Ok(Endpoint::Pipe("docker_engine".to_owned()))),
            ("tcp://localhost:2375", Ok(Endpoint::Loopback)),
            ("tcp://127.0.0.1:2375", Ok(Endpoint::Loopback)),
            ("tcp://[::1]:2376", Ok(Endpoint::Loopback)),
            ("127.0.0.1:2375", Ok(Endpoint::Loopback)),
            ("192.168.99.100:2376", remote("tcp")),
            ("tcp://localhost.example.com:2375", remote("tcp")),
            ("ssh://me@server", remote("ssh")),
            ("ssh://me@localhost", remote("ssh")),
            ("https://engine.example.com", remote("https")),
        ] {
            assert_eq!(parse(address, System::Linux), endpoint, "{address}");
        }
        assert!(parse("fd://", System::Linux).unwrap_err().contains("`fd`"));
        assert!(parse("unix:///a", System::Windows).is_err());
    }
}
