//! What the signature of a handler says about its operation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    FnArg, GenericArgument, ItemFn, LitStr, PathArguments, PathSegment, ReturnType, Type, TypePath,
    spanned::Spanned,
};

/// What is documented of a handler.
pub(crate) struct Signature {
    /// `operationId`.
    pub(crate) id: String,
    /// Types that implement `utoipa::IntoParams`.
    pub(crate) parameters: Vec<Type>,
    /// The request body.
    pub(crate) body: Option<Type>,
    /// The successful answers.
    pub(crate) responses: Responses,
    /// The scope that a token needs; none if no token is accepted.
    pub(crate) scope: Option<Type>,
    /// Whether it is also answered without a token.
    pub(crate) without_token: bool,
    /// The rate limits.
    pub(crate) buckets: Vec<Type>,
}

/// The type of the successful answer: `kernel::responses` of `yaniv-http`.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, while the compiler runs")]
pub(crate) enum Responses {
    /// 200 with an ETag, or 304.
    Tagged(Type),
    /// 200.
    Reply(Type),
    /// 200: a file or a stream; its media type and its schema.
    Download(Type, Type),
    /// 201.
    Created(Type),
    /// 201 with `Location`.
    CreatedAt(Type),
    /// 202 with a body.
    Accepted(Type),
    /// 202 without one.
    AcceptedEmpty,
    /// 204.
    NoContent,
}

impl Signature {
    /// Reads it from a function.
    pub(crate) fn read(function: &ItemFn) -> syn::Result<Self> {
        let mut signature = Self {
            id: camel_case(&function.sig.ident.to_string()),
            parameters: Vec::new(),
            body: None,
            responses: Responses::read(&function.sig.output)?,
            scope: None,
            without_token: false,
            buckets: Vec::new(),
        };
        for argument in &function.sig.inputs {
            match argument {
                FnArg::Typed(argument) => signature.argument(&argument.ty)?,
                FnArg::Receiver(_) => {
                    return Err(syn::Error::new(argument.span(), "a handler has no `self`"));
                }
            }
        }
        Ok(signature)
    }

    fn argument(&mut self, argument: &Type) -> syn::Result<()> {
        if let Type::Tuple(tuple) = argument {
            return tuple.elems.iter().try_for_each(|element| self.argument(element));
        }
        let segment = last_segment(argument)?;
        let name = segment.ident.to_string();
        match name.as_str() {
            "Auth" => {
                let [scope, bucket] = generics(segment)?;
                (self.scope, self.buckets) = (Some(scope), vec![bucket]);
            }
            "Anonymous" => {
                let [bucket] = generics(segment)?;
                self.buckets = vec![bucket];
            }
            "Anyone" => {
                let [scope, with, without] = generics(segment)?;
                (self.scope, self.buckets, self.without_token) = (Some(scope), vec![without, with], true);
            }
            "JsonBody" => {
                let [body] = generics(segment)?;
                self.body = Some(body);
            }
            "Queried" | "Path" => {
                let [parameters] = generics(segment)?;
                self.parameters.push(parameters);
            }
            _ if name.ends_with("Path") || name.ends_with("Header") => {
                self.parameters.push(argument.clone());
            }
            "Data" | "HttpRequest" | "NoBody" | "NoQuery" => {}
            _ => {
                return Err(syn::Error::new(
                    argument.span(),
                    "an extractor that `#[operation]` does not know",
                ));
            }
        }
        Ok(())
    }
}

impl Responses {
    fn read(output: &ReturnType) -> syn::Result<Self> {
        let wanted = "return `ApiResult<…>` of a type of `kernel::responses`";
        let ReturnType::Type(_, output) = output else { return Err(syn::Error::new(output.span(), wanted)) };
        let answer = last_segment(output)?;
        if answer.ident != "ApiResult" {
            return Err(syn::Error::new(answer.span(), wanted));
        }
        let [inner] = generics(answer)?;
        let segment = last_segment(&inner)?;
        let with_body = match segment.ident.to_string().as_str() {
            "NoContent" => return Ok(Self::NoContent),
            "AcceptedEmpty" => return Ok(Self::AcceptedEmpty),
            "Tagged" | "Kept" => Self::Tagged,
            "Reply" => Self::Reply,
            "Download" => {
                let [media, body] = generics(segment)?;
                return Ok(Self::Download(media, body));
            }
            "Created" => Self::Created,
            "CreatedAt" => Self::CreatedAt,
            "Accepted" => Self::Accepted,
            _ => return Err(syn::Error::new(segment.span(), wanted)),
        };
        let [body] = generics(segment)?;
        Ok(with_body(body))
    }

    /// The responses as `utoipa` takes them.
    pub(crate) fn documented(&self, answer: &LitStr) -> TokenStream {
        match self {
            Self::Tagged(body) => quote! {
                (status = 200, description = #answer, body = #body,
                    headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
                (status = 304, description = "Not changed since the answer whose tag you gave.")
            },
            Self::Reply(body) => quote! { (status = 200, description = #answer, body = #body) },
            Self::Download(media, body) => quote! {
                (status = 200, description = #answer, body = #body,
                    content_type = <#media as crate::kernel::responses::Media>::TYPE)
            },
            Self::Created(body) => quote! { (status = 201, description = #answer, body = #body) },
            Self::CreatedAt(body) => quote! {
                (status = 201, description = #answer, body = #body,
                    headers(("Location" = String, description = "Path of what was created.")))
            },
            Self::Accepted(body) => quote! { (status = 202, description = #answer, body = #body) },
            Self::AcceptedEmpty => quote! { (status = 202, description = #answer) },
            Self::NoContent => quote! { (status = 204, description = #answer) },
        }
    }
}

fn last_segment(path: &Type) -> syn::Result<&PathSegment> {
    let Type::Path(TypePath { path: named, .. }) = path else {
        return Err(syn::Error::new(path.span(), "expected a named type"));
    };
    named.segments.last().ok_or_else(|| syn::Error::new(path.span(), "expected a named type"))
}

fn generics<const N: usize>(segment: &PathSegment) -> syn::Result<[Type; N]> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Err(syn::Error::new(segment.span(), format!("expected {N} generic arguments")));
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument.clone()),
        _ => None,
    });
    let types: Vec<Type> = types.collect();
    types.try_into().map_err(|_| syn::Error::new(segment.span(), format!("expected {N} generic arguments")))
}

/// `accept_challenge` is `acceptChallenge`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut id, word| {
        let mut letters = word.chars();
        id.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        id.push_str(letters.as_str());
        id
    })
}
