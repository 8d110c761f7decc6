//! The list of all operations (`crate::routes`) has four readers: the server takes their routes, the document their
//! paths and schemas, the answers 405 their methods, and metrics their identifiers.

use std::collections::BTreeMap;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use actix_web::web::ServiceConfig;
use utoipa::openapi::path::{Operation, PathItem, Paths};
use utoipa::openapi::{OpenApi, RefOr, Schema};
use utoipa_actix_web::OpenApiFactory;

/// Takes operations.
pub trait Operations {
    /// Takes one.
    fn service<O: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: O) -> &mut Self;
}

impl Operations for ServiceConfig {
    fn service<O: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: O) -> &mut Self {
        Self::service(self, operation)
    }
}

/// The operations as `utoipa` documents them.
#[derive(Default)]
pub(crate) struct Documented {
    paths: Paths,
    schemas: BTreeMap<String, RefOr<Schema>>,
}

impl Operations for Documented {
    fn service<O: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: O) -> &mut Self {
        self.paths.merge(operation.paths());
        let mut schemas = Vec::new();
        operation.schemas(&mut schemas);
        self.schemas.extend(schemas);
        self
    }
}

impl Documented {
    /// Adds them to a document.
    pub(crate) fn add_to(self, document: &mut OpenApi) {
        document.paths.merge(self.paths);
        document.components.get_or_insert_default().schemas.extend(self.schemas);
    }
}

/// The paths, each with its methods.
#[derive(Default)]
struct Methods(Vec<(String, Vec<String>)>);

impl Operations for Methods {
    fn service<O: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: O) -> &mut Self {
        for (path, item) in operation.paths().paths {
            let methods = methods_of(&item).map(str::to_owned);
            match self.0.iter_mut().find(|(known, _)| *known == path) {
                Some((_, known)) => known.extend(methods),
                None => self.0.push((path, methods.collect())),
            }
        }
        self
    }
}

fn methods_of(item: &PathItem) -> impl Iterator<Item = &'static str> {
    operations_of(item).map(|(method, _)| method)
}

fn operations_of(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let methods = [("GET", get), ("PUT", put), ("POST", post), ("DELETE", delete), ("PATCH", patch)];
    methods.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

/// All paths, each with its methods.
pub fn methods() -> Vec<(String, Vec<String>)> {
    let mut methods = Methods::default();
    crate::routes(&mut methods);
    methods.0
}

/// All operations: path, method, identifier.
pub(crate) fn identifiers() -> Vec<(String, Method, String)> {
    let mut documented = Documented::default();
    crate::routes(&mut documented);
    let mut identifiers = Vec::new();
    for (path, item) in &documented.paths.paths {
        for (method, operation) in operations_of(item) {
            let identifier = operation.operation_id.clone().unwrap_or_default();
            identifiers.extend(
                Method::from_bytes(method.as_bytes()).map(|method| (path.clone(), method, identifier)),
            );
        }
    }
    identifiers
}
