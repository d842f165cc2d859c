//! Fetching one file from the Hub, from where an earlier attempt stopped.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderValue, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use tokio::runtime::Runtime;

use super::pull::{Progress, file_receipt};
use super::receipt::FileReceipt;
use super::space::{free_space, in_words};
use super::{KnownModel, StoreError};
use crate::config::create_private;
use crate::model::remote::{Ended, innermost, install_tls, watched};

const HUB: &str = "https://huggingface.co";
const CONNECT: Duration = Duration::from_secs(15);
/// How long a file's next bytes may take.
const STALL: Duration = Duration::from_secs(60);
/// The Hub sends on to where large files are stored.
const MOST_REDIRECTS: usize = 5;
/// How often fetching goes on after it broke off without a byte having come.
const ATTEMPTS: usize = 3;
/// Space that is left free.
const RESERVE: u64 = 64 << 20;

/// The Hub, or whatever stands in its place.
pub struct Hub {
    endpoint: Url,
    token: Option<HeaderValue>,
    client: Client,
    runtime: Runtime,
}

/// How an attempt ended that may be worth another.
enum Broken {
    /// It may.
    Again(StoreError),
    /// It is not.
    Final(StoreError),
}

impl Hub {
    /// The Hub at `HF_ENDPOINT` if that is set, with the token in `HF_TOKEN` if there is one. Nothing is sent yet.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub fn from_environment() -> Result<Self, StoreError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let address = variable("HF_ENDPOINT").unwrap_or_else(|| HUB.into());
        let unusable = |problem: String| StoreError::Odd { host: "HF_ENDPOINT".into(), file: "anything".into(), problem };
        let endpoint =
            Url::parse(address.trim_end_matches('/')).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
        let Some(endpoint) = endpoint else { return Err(unusable("it is to be an address that begins with https://".into())) };
        let token = match variable("HF_TOKEN") {
            None => None,
            Some(token) => {
                let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
                    .map_err(|_| unusable("HF_TOKEN holds signs that no token has".into()))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        install_tls();
        let client = Client::builder()
            .user_agent(concat!("catena/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(STALL);
        // Without encryption no issuer is asked for.
        let client = if endpoint.scheme() == "http" { client.tls_certs_only([]) } else { client };
        let client = client.build().map_err(|error| unusable(innermost(&error)))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| unusable(error.to_string()))?;
        Ok(Self { endpoint, token, client, runtime })
    }

    /// Its name, for messages.
    pub fn host(&self) -> String {
        self.endpoint.host_str().unwrap_or("the Hub").to_owned()
    }

    /// Where a file of a model is.
    pub(super) fn source(&self, model: &KnownModel) -> String {
        format!("{}/{}", self.endpoint.as_str().trim_end_matches('/'), model.repo)
    }

    /// Fetches a file to `target`, beside which a `.part` grows until it is whole and its checksum is right.
    pub(super) fn fetch(
        &self,
        model: &KnownModel,
        file: &str,
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<FileReceipt, StoreError> {
        let url = format!("{}/resolve/main/{file}", self.source(model));
        let url = Url::parse(&url).map_err(|error| StoreError::Odd { host: self.host(), file: file.into(), problem: error.to_string() })?;
        let part = beside(target, "part");
        let tag = beside(target, "tag");
        let mut pauses = ExponentialBuilder::new().with_min_delay(Duration::from_millis(300)).with_max_times(ATTEMPTS).build();
        let stated = loop {
            let before = length(&part);
            let attempt = self.runtime.block_on(self.attempt(&url, file, &part, &tag, progress));
            match attempt {
                Ok(stated) => break stated,
                Err(Broken::Final(error)) => return Err(error),
                // As long as bytes come, it goes on.
                Err(Broken::Again(_)) if length(&part) > before => {}
                Err(Broken::Again(error)) => {
                    let Some(pause) = pauses.next() else { return Err(error) };
                    let waited = self.runtime.block_on(async { watched(tokio::time::sleep(pause), &mut || !progress.stopped()).await });
                    waited.map_err(|_| StoreError::Stopped)?;
                }
            }
        };
        let receipt = file_receipt(model, file, &part, stated.as_deref(), progress);
        if matches!(receipt, Err(StoreError::Checksum { .. })) {
            let _ = fs::remove_file(&part);
        }
        let receipt = receipt?;
        fs::rename(&part, target).map_err(StoreError::io(target))?;
        let _ = fs::remove_file(&tag);
        Ok(receipt)
    }

    /// One attempt; gives the checksum that the Hub states, if it states one.
    async fn attempt(&self, url: &Url, file: &str, part: &Path, tag: &Path, progress: &mut dyn Progress) -> Result<Option<String>, Broken> {
        let odd = |problem: String| Broken::Final(StoreError::Odd { host: self.host(), file: file.into(), problem });
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| Broken::Final(StoreError::io(&path)(error))
        };
        let kept = fs::read_to_string(tag).unwrap_or_default();
        let have = if kept.is_empty() { 0 } else { length(part) };
        let (mut response, stated_tag) = self.request(url, file, have, progress).await?;
        let goes_on = response.status() == StatusCode::PARTIAL_CONTENT;
        if have > 0
            && (response.status() == StatusCode::RANGE_NOT_SATISFIABLE
                || (goes_on && (stated_tag != kept || begins_at(&response) != Some(have))))
        {
            // Another file stands there now, or this one was fetched too far: begin anew.
            fs::remove_file(part).map_err(io(part))?;
            let problem = "the file there has changed since fetching began".into();
            return Err(Broken::Again(StoreError::Odd { host: self.host(), file: file.into(), problem }));
        }
        let have = if goes_on { have } else { 0 };
        if !goes_on && response.status() != StatusCode::OK {
            return Err(odd(format!("it answers HTTP {}", response.status().as_u16())));
        }
        let rest = response.content_length();
        progress.file(file, have, rest.map(|rest| have + rest));
        if let (Some(rest), Some(free)) = (rest, part.parent().and_then(free_space))
            && rest.saturating_add(RESERVE) > free
        {
            let folder = part.parent().unwrap_or(part).to_path_buf();
            return Err(Broken::Final(StoreError::Space { what: file.into(), folder, needed: in_words(rest), free: in_words(free) }));
        }
        let mut out: File = if have > 0 { OpenOptions::new().append(true).open(part) } else { create_private(part) }.map_err(io(part))?;
        // What is not known by a mark cannot be gone on with.
        if stated_tag.is_empty() {
            drop(fs::remove_file(tag))
        } else {
            crate::config::write_atomically(tag, |out| out.write_all(stated_tag.as_bytes())).map_err(io(tag))?
        }
        let mut done = have;
        loop {
            match watched(response.chunk(), &mut || !progress.stopped()).await {
                Err(_) => {
                    let _ = out.sync_all();
                    return Err(Broken::Final(StoreError::Stopped));
                }
                Ok(Err(error)) => return Err(Broken::Again(self.unreachable(&error))),
                Ok(Ok(None)) => break,
                Ok(Ok(Some(chunk))) => {
                    out.write_all(&chunk).map_err(io(part))?;
                    done += chunk.len() as u64;
                    progress.done(done);
                }
            }
        }
        out.sync_all().map_err(io(part))?;
        match rest {
            Some(rest) if done != have + rest => {
                Err(Broken::Again(StoreError::Unreachable { host: self.host(), problem: "the connection broke off".into() }))
            }
            _ => Ok(Some(stated_tag).filter(|tag| is_sha256(tag))),
        }
    }

    /// Asks for a file from a byte on, wherever it is stored; gives the response with what marks this content of the file.
    async fn request(&self, url: &Url, file: &str, from: u64, progress: &mut dyn Progress) -> Result<(Response, String), Broken> {
        let mut url = url.clone();
        let mut stated = None;
        for _ in 0..=MOST_REDIRECTS {
            let mut request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            // The token is for the Hub, not for where it stores files, and not for whoever listens on the way.
            let is_hub = url.origin() == self.endpoint.origin();
            if let Some(token) = self.token.clone().filter(|_| is_hub && (url.scheme() == "https" || is_loopback(&url))) {
                request = request.header(AUTHORIZATION, token);
            }
            let response = match watched(request.send(), &mut || !progress.stopped()).await {
                Err(Ended::Cancelled | Ended::Failed { .. }) => return Err(Broken::Final(StoreError::Stopped)),
                Ok(response) => response.map_err(|error| self.gone(&error))?,
            };
            let mark = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(plain_tag);
            // The first in the row speaks of the file; those behind it of how it is stored.
            stated = stated.or_else(|| mark("x-linked-etag"));
            let status = response.status();
            if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                let target = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| url.join(to).ok());
                let safe = |to: &Url| to.scheme() == "https" || (to.scheme() == "http" && url.scheme() == "http");
                let Some(target) = target.filter(safe) else {
                    let problem = "it sends on to a place that is not encrypted, or to none".into();
                    return Err(Broken::Final(StoreError::Odd { host: self.host(), file: file.into(), problem }));
                };
                url = target;
                continue;
            }
            let host = self.host();
            let (file, status) = (file.to_owned(), status.as_u16());
            return match status {
                401 | 403 => Err(Broken::Final(StoreError::Refused { host, file, status })),
                404 | 410 => Err(Broken::Final(StoreError::Missing { host, file, status })),
                429 | 500.. => Err(Broken::Again(StoreError::Unreachable { host, problem: format!("it answers HTTP {status}") })),
                _ => {
                    let stated = stated.or_else(|| mark(ETAG.as_str())).unwrap_or_default();
                    Ok((response, stated))
                }
            };
        }
        Err(Broken::Final(StoreError::Odd { host: self.host(), file: file.into(), problem: "it sends from place to place".into() }))
    }

    /// No connection at all: worth another attempt unless the name or the certificate is wrong.
    fn gone(&self, error: &reqwest::Error) -> Broken {
        let unreachable = self.unreachable(error);
        if error.is_dns() || error.is_connect() { Broken::Final(unreachable) } else { Broken::Again(unreachable) }
    }

    fn unreachable(&self, error: &reqwest::Error) -> StoreError {
        let problem = if error.is_dns() { "its name cannot be resolved; is this machine online?".into() } else { innermost(error) };
        StoreError::Unreachable { host: self.host(), problem }
    }
}

/// A file's name with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |state| state.len())
}

/// An entity tag without its marks, bounded; only what can stand in a file name's place is kept.
fn plain_tag(tag: &str) -> String {
    tag.trim_start_matches("W/").trim_matches('"').chars().filter(char::is_ascii_graphic).take(128).collect()
}

fn is_sha256(tag: &str) -> bool {
    tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| host == "localhost" || host == "[::1]" || host.starts_with("127."))
}

/// The first byte of a response that is a part of a file.
fn begins_at(response: &Response) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
}
