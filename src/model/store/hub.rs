//! Downloads a file from the Hub; resumes an earlier attempt.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderValue, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use tokio::runtime::Runtime;

use super::pull::{PullProgress, file_receipt};
use super::receipt::FileReceipt;
use super::space::{free_space, in_words};
use super::{KnownModel, StoreError};
use crate::config::create_private;
use crate::model::remote::{RequestError, innermost, install_tls, watched};

const HUB: &str = "https://huggingface.co";
const CONNECT: Duration = Duration::from_secs(15);
/// How long to wait for the next bytes of a file.
const STALL: Duration = Duration::from_secs(60);
/// The most redirects: the Hub redirects to its file storage.
const MOST_REDIRECTS: usize = 5;
/// Retries after an attempt that brought no byte.
const ATTEMPTS: usize = 3;
/// Disk space that stays free.
const RESERVE: u64 = 64 << 20;

/// The Hugging Face Hub, or the server in HF_ENDPOINT.
pub struct Hub {
    endpoint: Url,
    token: Option<HeaderValue>,
    client: Client,
    runtime: Runtime,
}

/// Why an attempt failed.
enum AttemptError {
    /// Another attempt may succeed.
    Again(StoreError),
    /// Another attempt would fail too.
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
        let Some(endpoint) = endpoint else { return Err(unusable("it must be an address that begins with https://".into())) };
        let token = match variable("HF_TOKEN") {
            None => None,
            Some(token) => {
                let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
                    .map_err(|_| unusable("HF_TOKEN contains characters that no token has".into()))?;
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

    /// Downloads a file to `target`. A `.part` file next to it grows until it is complete and its checksum is right.
    pub(super) fn fetch(
        &self,
        model: &KnownModel,
        file: &str,
        target: &Path,
        progress: &mut dyn PullProgress,
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
                Err(AttemptError::Final(error)) => return Err(error),
                // As long as bytes arrive, it continues.
                Err(AttemptError::Again(_)) if length(&part) > before => {}
                Err(AttemptError::Again(error)) => {
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

    /// One attempt; returns the checksum that the Hub states, if any.
    async fn attempt(
        &self,
        url: &Url,
        file: &str,
        part: &Path,
        tag: &Path,
        progress: &mut dyn PullProgress,
    ) -> Result<Option<String>, AttemptError> {
        let odd = |problem: String| AttemptError::Final(StoreError::Odd { host: self.host(), file: file.into(), problem });
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| AttemptError::Final(StoreError::io(&path)(error))
        };
        let kept = fs::read_to_string(tag).unwrap_or_default();
        let have = if kept.is_empty() { 0 } else { length(part) };
        let (mut response, stated_tag) = self.request(url, file, have, progress).await?;
        let goes_on = response.status() == StatusCode::PARTIAL_CONTENT;
        if have > 0
            && (response.status() == StatusCode::RANGE_NOT_SATISFIABLE
                || (goes_on && (stated_tag != kept || begins_at(&response) != Some(have))))
        {
            // The file on the Hub has changed, or the part is too long: start again.
            fs::remove_file(part).map_err(io(part))?;
            let problem = "the file there has changed since the download began".into();
            return Err(AttemptError::Again(StoreError::Odd { host: self.host(), file: file.into(), problem }));
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
            return Err(AttemptError::Final(StoreError::Space { what: file.into(), folder, needed: in_words(rest), free: in_words(free) }));
        }
        let mut out: File = if have > 0 { OpenOptions::new().append(true).open(part) } else { create_private(part) }.map_err(io(part))?;
        // Without an entity tag a download cannot be resumed.
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
                    return Err(AttemptError::Final(StoreError::Stopped));
                }
                Ok(Err(error)) => return Err(AttemptError::Again(self.unreachable(&error))),
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
                Err(AttemptError::Again(StoreError::Unreachable { host: self.host(), problem: "the connection broke off".into() }))
            }
            _ => Ok(Some(stated_tag).filter(|tag| is_sha256(tag))),
        }
    }

    /// Requests a file from a byte on, following redirects; returns the response with the entity tag of the content.
    async fn request(&self, url: &Url, file: &str, from: u64, progress: &mut dyn PullProgress) -> Result<(Response, String), AttemptError> {
        let mut url = url.clone();
        let mut stated = None;
        for _ in 0..=MOST_REDIRECTS {
            let mut request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            // The token goes only to the Hub itself, and only over an encrypted or local connection.
            let is_hub = url.origin() == self.endpoint.origin();
            if let Some(token) = self.token.clone().filter(|_| is_hub && (url.scheme() == "https" || is_loopback(&url))) {
                request = request.header(AUTHORIZATION, token);
            }
            let response = match watched(request.send(), &mut || !progress.stopped()).await {
                Err(RequestError::Cancelled | RequestError::Failed { .. }) => return Err(AttemptError::Final(StoreError::Stopped)),
                Ok(response) => response.map_err(|error| self.gone(&error))?,
            };
            let mark = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(plain_tag);
            // The first response identifies the file; later ones identify its stored copy.
            stated = stated.or_else(|| mark("x-linked-etag"));
            let status = response.status();
            if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                let target = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| url.join(to).ok());
                let safe = |to: &Url| to.scheme() == "https" || (to.scheme() == "http" && url.scheme() == "http");
                let Some(target) = target.filter(safe) else {
                    let problem = "it redirects to an address without encryption, or to none".into();
                    return Err(AttemptError::Final(StoreError::Odd { host: self.host(), file: file.into(), problem }));
                };
                url = target;
                continue;
            }
            let host = self.host();
            let (file, status) = (file.to_owned(), status.as_u16());
            return match status {
                401 | 403 => Err(AttemptError::Final(StoreError::Refused { host, file, status })),
                404 | 410 => Err(AttemptError::Final(StoreError::Missing { host, file, status })),
                429 | 500.. => Err(AttemptError::Again(StoreError::Unreachable { host, problem: format!("it answers HTTP {status}") })),
                _ => {
                    let stated = stated.or_else(|| mark(ETAG.as_str())).unwrap_or_default();
                    Ok((response, stated))
                }
            };
        }
        Err(AttemptError::Final(StoreError::Odd { host: self.host(), file: file.into(), problem: "it redirects too often".into() }))
    }

    /// Without any connection, another attempt helps only if neither the name nor the certificate is wrong.
    fn gone(&self, error: &reqwest::Error) -> AttemptError {
        let unreachable = self.unreachable(error);
        if error.is_dns() || error.is_connect() { AttemptError::Final(unreachable) } else { AttemptError::Again(unreachable) }
    }

    fn unreachable(&self, error: &reqwest::Error) -> StoreError {
        let problem = if error.is_dns() { "its name cannot be resolved; is this machine online?".into() } else { innermost(error) };
        StoreError::Unreachable { host: self.host(), problem }
    }
}

/// A path with an additional extension.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |state| state.len())
}

/// An entity tag without quotes, at most 128 visible ASCII characters.
fn plain_tag(tag: &str) -> String {
    tag.trim_start_matches("W/").trim_matches('"').chars().filter(char::is_ascii_graphic).take(128).collect()
}

fn is_sha256(tag: &str) -> bool {
    tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| host == "localhost" || host == "[::1]" || host.starts_with("127."))
}

/// The position of the first byte of a partial response.
fn begins_at(response: &Response) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
}
