//! The list of all operations (`crate::routes`) has three readers: the server takes their routes, the document their
//! paths and schemas, and the answers 405 their methods.

use std::collections::BTreeMap;

use actix_web::dev::HttpServiceFactory;
use actix_web::web::ServiceConfig;
use utoipa::openapi::path::{PathItem, Paths};
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
    let PathItem { get, put, post, delete, patch, .. } = item;
    let methods = [("GET", get), ("PUT", put), ("POST", post), ("DELETE", delete), ("PATCH", patch)];
    methods.map(|(method, operation)| operation.is_some().then_some(method)).into_iter().flatten()
}

/// All paths, each with its methods.
pub fn methods() -> Vec<(String, Vec<String>)> {
    let mut methods = Methods::default();
    crate::routes(&mut methods);
    methods.0
}
