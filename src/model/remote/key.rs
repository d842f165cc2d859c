//! The API key of a server: read from the environment or a file, and never shown.

use std::fmt;
use std::io::Read;
use std::path::Path;

use reqwest::header::HeaderValue;

use super::RemoteError;
use crate::config::KeySource;

/// The longest key, in bytes.
const LONGEST: u64 = 16 << 10;
/// A shorter key (in bytes) could be any word, so it is not removed from a server's messages.
const SECRET_FROM: usize = 4;

/// A key. It has no `Display`, and its `Debug` hides it.
#[derive(Clone)]
pub(super) struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("ApiKey(…)")
    }
}

impl ApiKey {
    /// Reads the key from the source in the configuration; `None` if the server needs none.
    pub(super) fn load(server: &str, source: &KeySource) -> Result<Option<Self>, RemoteError> {
        let text = match source {
            KeySource::None => return Ok(None),
            KeySource::Environment { variable, required } => match std::env::var(variable) {
                Ok(value) if !value.trim().is_empty() => value,
                Err(std::env::VarError::NotUnicode(_)) => {
                    return Err(unusable(server, format!("{variable} is not valid Unicode")));
                }
                _ if *required => return Err(RemoteError::KeyMissing { server: server.into(), variable: variable.clone() }),
                _ => return Ok(None),
            },
            KeySource::File(file) => read(server, file)?,
        };
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable(server, "it is empty, or contains spaces or other characters that no key has".into()));
        }
        Ok(Some(Self(key.into())))
    }

    /// The value of the authorisation header.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// A text without the key.
    pub(super) fn removed_from(&self, text: &str) -> String {
        if self.0.len() < SECRET_FROM { text.to_owned() } else { text.replace(&self.0, "…") }
    }
}

fn unusable(server: &str, problem: String) -> RemoteError {
    RemoteError::KeyUnusable { server: server.into(), problem }
}

fn read(server: &str, path: &Path) -> Result<String, RemoteError> {
    let fail = |error: std::io::Error| unusable(server, format!("{} cannot be read: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(fail)?;
    let state = file.metadata().map_err(fail)?;
    if !state.is_file() {
        return Err(unusable(server, format!("{} is not a file", path.display())));
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&state.permissions()) & 0o7777;
        if mode & 0o077 != 0 {
            return Err(RemoteError::KeyExposed { file: path.into(), mode });
        }
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(fail)?;
    if text.len() as u64 > LONGEST {
        return Err(unusable(server, format!("{} is too long for a key", path.display())));
    }
    Ok(text)
}
