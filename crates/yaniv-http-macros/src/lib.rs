//! `#[operation]`: declares a handler as an operation of the API.
//!
//! The documentation of an operation is generated from the signature of its handler, so that the document cannot differ
//! from what the handler accepts and returns. A signature that the attribute cannot document does not compile.

mod attribute;
mod signature;

use proc_macro::TokenStream;
use syn::{ItemFn, parse_macro_input};

use crate::attribute::Attribute;
use crate::signature::Signature;

/// Declares a handler: its route, and its part of the OpenAPI document.
///
/// ```text
/// /// Accept a challenge.
/// ///
/// /// The last to accept starts the match.
/// #[operation(
///     post "/v1/challenges/{challenge_id}/accept",
///     tag = "challenges",
///     example = json!({"client_seed": "blue"}),
///     answer = "The challenge.",
///     problems(ChallengeOver, OwnChallenge),
/// )]
/// async fn accept_challenge(
///     services: Data<Services>,
///     caller: Auth<Play, Writes>,
///     path: ChallengePath,
///     body: JsonBody<AcceptChallengeRequest>,
/// ) -> ApiResult<Reply<ChallengeBody>> { … }
/// ```
///
/// The attribute says:
/// - the method and the path;
/// - `tag`: the section of the document;
/// - `example`: the request body as JSON, where the operation takes one;
/// - `answer`: description of the successful answer;
/// - `problems`: variants of `ProblemCode` that it can answer besides the common ones.
///
/// The rest is read from the function:
/// - the identifier is its name in camel case; summary and description are its doc comment;
/// - `Auth<SCOPE, BUCKET>` requires a token of this scope and counts in this rate limit; `Anonymous<BUCKET>` counts by
///   address; `Anyone<SCOPE, BUCKET, BUCKET>` is the first with a token, and the second without;
/// - types named `…Path` or `…Header`, and `T` of `Queried<T>`, are parameters (`utoipa::IntoParams`); `T` of
///   `JsonBody<T>` is the request body (`utoipa::ToSchema`);
/// - the answer is one of the types in `kernel::responses` of `yaniv-http`: each has one status and one set of headers.
#[proc_macro_attribute]
pub fn operation(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let attribute = parse_macro_input!(attribute as Attribute);
    let function = parse_macro_input!(item as ItemFn);
    let expanded = Signature::read(&function).map(|signature| attribute.expand(&signature, &function));
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}
