//! The forms of request bodies, by their types.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::forms::form::{Form, Misfit};

/// Name of a body as a whole.
const WHOLE: &str = "body";

/// Everything in a body that does not fit its type's schema.
pub(crate) fn misfits_of_body<T: ToSchema + 'static>(body: &Value) -> Vec<Misfit> {
    form_of::<T>().misfits(body, WHOLE)
}

/// Whether a body of the type may have objects within it.
pub(crate) fn has_inner_objects<T: ToSchema + 'static>() -> bool {
    form_of::<T>().has_inner_objects
}

/// Whether a body of the type may be left out, as all its fields may.
pub(crate) fn all_optional<T: ToSchema + 'static>() -> bool {
    form_of::<T>().all_optional
}

/// The form of a type, made once.
fn form_of<T: ToSchema + 'static>() -> Arc<Form> {
    static FORMS: LazyLock<RwLock<HashMap<TypeId, Arc<Form>>>> = LazyLock::new(RwLock::default);
    let of = TypeId::of::<T>();
    let known = FORMS.read().unwrap_or_else(PoisonError::into_inner).get(&of).cloned();
    known.unwrap_or_else(|| {
        let form = Arc::new(made::<T>());
        FORMS.write().unwrap_or_else(PoisonError::into_inner).insert(of, Arc::clone(&form));
        form
    })
}

fn made<T: ToSchema>() -> Form {
    let mut schemas = Vec::new();
    T::schemas(&mut schemas);
    let value = |schema| serde_json::to_value(schema).unwrap_or_default();
    let named: Map<String, Value> = schemas.into_iter().map(|(name, schema)| (name, value(schema))).collect();
    Form::new(value(T::schema()), named)
}
