//! One server: its HTTP client, single requests, and responses read within limits.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Certificate, Client, Proxy, Response, redirect};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use super::RemoteError;
use super::key::ApiKey;
use super::request_error::{Attempts, RequestError, ServerMessage, cause, innermost, is_web_page};
use crate::config::{ProxyChoice, RemoteConfig};

/// How often a waiting request checks whether the result is still wanted.
const WATCH: Duration = Duration::from_millis(20);
/// The most bytes read of the body of an error response.
const REFUSAL: usize = 64 << 10;
/// How long idle connections stay open: less than on most servers.
const IDLE: Duration = Duration::from_secs(20);

/// Turns of the runtime in which a dropped connection can close.
const CLOSING: usize = 8;

/// Returns whether the result is still wanted; called many times a second.
pub(in crate::model) type Wanted<'a> = &'a mut dyn FnMut() -> bool;

/// A server, with the runtime for its requests.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) config: RemoteConfig,
    /// Its name and address, as messages show them.
    pub(super) shown: String,
    client: Client,
    key: Option<ApiKey>,
    /// Taken only when this is dropped.
    runtime: Option<Runtime>,
}

impl Server {
    /// Prepares the client; sends nothing.
    pub(super) fn open(config: RemoteConfig) -> Result<Self, RemoteError> {
        install_tls();
        let by = if matches!(config.proxy, ProxyChoice::Address(_)) { " through a proxy" } else { "" };
        let shown = format!("{} ({}{by})", config.name, config.base_url);
        let key = ApiKey::load(&shown, &config.key)?;
        let client = client(&config).map_err(|problem| RemoteError::Setup { server: shown.clone(), problem })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| RemoteError::Setup { server: shown.clone(), problem: error.to_string() })?;
        Ok(Self { config, shown, client, key, runtime: Some(runtime) })
    }

    /// The error for a well-formed answer with unexpected content.
    pub(super) fn unexpected(&self, problem: String) -> RequestError {
        let problem = crate::text::sanitise_line(&problem).chars().take(200).collect();
        RemoteError::Unexpected { server: self.shown.clone(), problem }.into()
    }

    /// The model's name on the server.
    pub(super) fn model(&self) -> &str {
        &self.config.model
    }

    /// Runs a request to its end on this thread.
    pub(super) fn block_on<T>(&self, work: impl Future<Output = Result<T, RequestError>>) -> Result<T, RequestError> {
        match &self.runtime {
            Some(runtime) if tokio::runtime::Handle::try_current().is_err() => runtime.block_on(async {
                let result = work.await;
                // The tasks of connections run only during a call. A dropped connection must close now, or its server would
                // continue to write.
                for _ in 0..CLOSING {
                    tokio::task::yield_now().await;
                }
                result
            }),
            // A runtime within another one would end the program.
            _ => {
                Err(RemoteError::Setup { server: self.shown.clone(), problem: "it was called from a thread that must not wait".into() }
                    .into())
            }
        }
    }

    /// The attempts of a new request.
    pub(super) fn attempts(&self) -> Attempts {
        Attempts::new(self.config.retries)
    }

    /// Waits before the next attempt; the error if there is none.
    pub(super) async fn pause(&self, attempts: &mut Attempts, ended: RequestError, wanted: Wanted<'_>) -> Result<(), RequestError> {
        let pause = attempts.pause(ended)?;
        watched(sleep(pause), wanted).await
    }

    /// Sends a request once; returns the response when its head has arrived, if its status is a success.
    pub(super) async fn post(&self, path: &str, body: &Value, accept: &str, wanted: Wanted<'_>) -> Result<Response, RequestError> {
        let mut request = self.client.post(format!("{}{path}", self.config.base_url)).header(ACCEPT, accept).json(body);
        if let Some(value) = self.key.as_ref().and_then(ApiKey::header) {
            request = request.header(AUTHORIZATION, value);
        }
        let limit = self.config.first_token_timeout;
        let response = match watched(timeout(limit, request.send()), wanted).await? {
            Err(_) => return Err(RemoteError::NoAnswer { server: self.shown.clone(), seconds: limit.as_secs_f64() }.into()),
            Ok(Err(error)) => return Err(self.broken(&error).into()),
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(response, path, wanted).await) }
    }

    /// Sends a request for JSON, with retries, and returns the answer.
    pub(super) fn ask(&self, path: &str, body: &Value, bound: usize, wanted: Wanted<'_>) -> Result<Value, RequestError> {
        self.block_on(async {
            let mut attempts = self.attempts();
            loop {
                let asked = async {
                    let response = self.post(path, body, "application/json", wanted).await?;
                    self.json(response, bound, wanted).await
                };
                match asked.await {
                    Err(ended) => self.pause(&mut attempts, ended, wanted).await?,
                    done => return done,
                }
            }
        })
    }

    /// Reads a whole response as JSON; an error object becomes an error.
    pub(super) async fn json(&self, response: Response, bound: usize, wanted: Wanted<'_>) -> Result<Value, RequestError> {
        let status = response.status().as_u16();
        let body = self.read(response, bound, wanted).await?;
        let value = serde_json::from_slice::<Value>(&body).map_err(|error| self.no_json(&body, status, &error))?;
        match ServerMessage::error_in(&value) {
            Some(said) => Err(self.reported(&said).into()),
            None => Ok(value),
        }
    }

    /// The error for an answer that is not JSON.
    pub(super) fn no_json(&self, body: &[u8], status: u16, error: &serde_json::Error) -> RemoteError {
        let server = self.shown.clone();
        if is_web_page(&String::from_utf8_lossy(body)) {
            return RemoteError::WebPage { server, status };
        }
        let problem = match error.classify() {
            _ if body.is_empty() => "nothing at all".into(),
            serde_json::error::Category::Eof => format!("it ends in the middle, after {} bytes", body.len()),
            _ => format!("line {}, column {}", error.line(), error.column()),
        };
        RemoteError::NotJson { server, problem }
    }

    /// The error that the server sent instead of a result.
    pub(super) fn reported(&self, said: &ServerMessage) -> RemoteError {
        let (server, shown) = (self.shown.clone(), said.shown(|text| self.without_key(text)));
        if said.is_context() {
            return RemoteError::ContextExceeded { server, model: self.config.model.clone(), said: shown };
        }
        RemoteError::Reported { server, said: shown }
    }

    /// Reads a whole body.
    async fn read(&self, mut response: Response, bound: usize, wanted: Wanted<'_>) -> Result<Vec<u8>, RequestError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response, Instant::now() + self.config.stall_timeout, wanted).await? {
            if body.len() + chunk.len() > bound {
                return Err(RemoteError::TooLarge { server: self.shown.clone(), bound }.into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// The next chunk of a body, before a deadline; `None` at the end.
    pub(super) async fn chunk(
        &self,
        response: &mut Response,
        deadline: Instant,
        wanted: Wanted<'_>,
    ) -> Result<Option<impl AsRef<[u8]> + std::ops::Deref<Target = [u8]> + use<>>, RequestError> {
        match watched(tokio::time::timeout_at(deadline, response.chunk()), wanted).await? {
            Err(_) => Err(RemoteError::Stalled { server: self.shown.clone(), seconds: self.config.stall_timeout.as_secs_f64() }.into()),
            Ok(Err(_)) => Err(RemoteError::CutOff { server: self.shown.clone() }.into()),
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    /// The error if no response came.
    fn broken(&self, error: &reqwest::Error) -> RemoteError {
        let server = self.shown.clone();
        if error.is_dns() {
            return RemoteError::NoSuchHost { server };
        }
        if let Some(tls) = cause::<rustls::Error>(error) {
            return RemoteError::Tls { server, problem: innermost(tls) };
        }
        if error.is_timeout() && error.is_connect() {
            return RemoteError::ConnectTimeout { server, seconds: self.config.connect_timeout.as_secs_f64() };
        }
        if cause::<std::io::Error>(error).is_some_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused) {
            return RemoteError::Refused { server };
        }
        RemoteError::Connection { server, problem: innermost(error) }
    }

    /// The error for a response without a success status.
    async fn refusal(&self, response: Response, path: &str, wanted: Wanted<'_>) -> RequestError {
        let status = response.status().as_u16();
        let server = self.shown.clone();
        let header = |name| response.headers().get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
        let retry_after = header(RETRY_AFTER).and_then(|wait| wait.trim().parse().ok()).map(Duration::from_secs);
        if response.status().is_redirection() {
            let target = self.without_key(&crate::text::sanitise_line(header(LOCATION).unwrap_or("another place")));
            return RemoteError::Redirected { server, target: target.chars().take(200).collect() }.into();
        }
        let is_page = header(CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/html"));
        let body = match self.read(response, REFUSAL, wanted).await {
            Ok(body) => body,
            Err(RequestError::Cancelled) => return RequestError::Cancelled,
            // The status says enough.
            Err(RequestError::Failed { .. }) => Vec::new(),
        };
        let body = String::from_utf8_lossy(&body);
        let is_page = is_page || is_web_page(&body);
        let words = if is_page { ServerMessage::default() } else { ServerMessage::in_body(&body) };
        let said = words.shown(|text| self.without_key(text));
        let error = match status {
            _ if words.is_context() => RemoteError::ContextExceeded { server, model: self.config.model.clone(), said },
            401 | 403 => RemoteError::Unauthorised { server, status, advice: self.key_advice() },
            404 if words.is_model() => RemoteError::NoModel { server, model: self.config.model.clone() },
            404 | 405 => RemoteError::NoPath { server, path: path.into(), status },
            429 if words.is_quota() => RemoteError::Rejected { server, status, said },
            429 => RemoteError::Busy { server, attempts: 1, said },
            500.. => RemoteError::Failing { server, status, attempts: 1, said },
            _ if is_page => RemoteError::WebPage { server, status },
            400 | 422 if self.config.sampling && words.is_sampling() => RemoteError::SamplingRejected { server, status, said },
            _ => RemoteError::Rejected { server, status, said },
        };
        RequestError::Failed { error, retry_after }
    }

    /// What to do if the key is missing or wrong; never contains the key.
    fn key_advice(&self) -> String {
        use crate::config::KeySource::{Environment, File, None};
        match &self.config.key {
            Environment { variable, .. } if self.key.is_some() => {
                format!("the key in the environment variable {variable} is wrong or may not use this model")
            }
            Environment { variable, .. } => format!("it requires a key; set the environment variable {variable} to it"),
            File(file) => format!("the key in {} is wrong or may not use this model", file.display()),
            None => "it requires a key; in the configuration, set key_env to the name of the environment variable that holds it".into(),
        }
    }

    fn without_key(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.removed_from(text))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A pending look-up of a host name must not delay the caller.
            runtime.shutdown_background();
        }
    }
}

/// Installs the TLS provider, once for each process.
pub(in crate::model) fn install_tls() {
    static PROVIDER: Once = Once::new();
    // An error means that a provider is already installed.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

/// Waits for work while its result is wanted.
pub(in crate::model) async fn watched<T>(work: impl Future<Output = T>, wanted: Wanted<'_>) -> Result<T, RequestError> {
    let mut work = std::pin::pin!(work);
    let mut ticks = interval(WATCH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            _ = ticks.tick() => if !wanted() { return Err(RequestError::Cancelled) },
            result = &mut work => return Ok(result),
        }
    }
}

fn client(config: &RemoteConfig) -> Result<Client, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("catena/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(config.connect_timeout)
        .pool_idle_timeout(IDLE);
    match &config.proxy {
        // A server on this machine needs no proxy.
        ProxyChoice::System if config.is_this_machine() => builder = builder.no_proxy(),
        ProxyChoice::System => {}
        ProxyChoice::Direct => builder = builder.no_proxy(),
        ProxyChoice::Address(address) => {
            // The address may hold a password, so the error is not shown.
            let proxy =
                Proxy::all(address.reveal()).map_err(|_| "proxy must be an address such as http://proxy.example:3128".to_owned())?;
            builder = builder.no_proxy().proxy(proxy);
        }
    }
    let proxy_is_secure = matches!(&config.proxy, ProxyChoice::Address(address) if address.reveal().starts_with("https"));
    if config.base_url.starts_with("http://") && !proxy_is_secure {
        // Without encryption no certificates are needed, so this also works on machines without a certificate store.
        builder = builder.tls_certs_only([]);
    } else if let Some(file) = &config.ca_file {
        let shown = file.display();
        let text = std::fs::read(file).map_err(|error| format!("the ca_file {shown} cannot be read: {error}"))?;
        let certificates =
            Certificate::from_pem_bundle(&text).map_err(|error| format!("{shown} holds no PEM certificates: {}", innermost(&error)))?;
        if certificates.is_empty() {
            return Err(format!("{shown} holds no PEM certificate"));
        }
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|error| innermost(&error))
}
