//! What the attribute says, and the attributes of `utoipa` and `actix_web` that it stands for.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{ItemFn, LitStr, Macro, Token, parenthesized};

use crate::signature::Signature;

/// The content of `#[operation(…)]`.
pub(crate) struct Attribute {
    method: Ident,
    path: LitStr,
    tag: LitStr,
    example: Option<Macro>,
    answer: LitStr,
    problems: Vec<Ident>,
}

impl Parse for Attribute {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (method, path) = (input.parse()?, input.parse::<LitStr>()?);
        let (mut tag, mut example, mut answer, mut problems) = (None, None, None, Vec::new());
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let field: Ident = input.parse()?;
            if field == "problems" {
                let list;
                parenthesized!(list in input);
                problems.extend(Punctuated::<Ident, Token![,]>::parse_terminated(&list)?);
                continue;
            }
            input.parse::<Token![=]>()?;
            match field.to_string().as_str() {
                "tag" => tag = Some(input.parse()?),
                "answer" => answer = Some(input.parse()?),
                "example" => example = Some(input.parse()?),
                _ => {
                    return Err(syn::Error::new(
                        field.span(),
                        "expected `tag`, `example`, `answer` or `problems`",
                    ));
                }
            }
        }
        let missing = |field: &str| syn::Error::new(path.span(), format!("`{field}` is missing"));
        Ok(Self {
            tag: tag.ok_or_else(|| missing("tag"))?,
            answer: answer.ok_or_else(|| missing("answer"))?,
            method,
            path,
            example,
            problems,
        })
    }
}

impl Attribute {
    /// The handler with the attributes that document it and give it its route. `utoipa` recognizes the attribute of the route by
    /// its bare name, so the module of the handler imports `actix_web::get`, and so on.
    pub(crate) fn expand(&self, signature: &Signature, function: &ItemFn) -> TokenStream {
        let Self { method, path, tag, example, answer, problems } = self;
        let Signature { id, parameters, body, responses, buckets, .. } = signature;
        let without = signature.without_token.then(|| quote! { (), });
        let security = signature.scope.as_ref().map(|_| quote! { security(#without ("access_token" = [])), });
        let example = example.as_ref().map(|example| quote! { , example = #example });
        let body = body.as_ref().map(|body| quote! { request_body(content = #body #example), });
        let scope = signature
            .scope
            .as_ref()
            .map(|scope| quote! { ("x-scope" = json!(crate::kernel::extract::scope_name::<#scope>())), });
        let buckets = quote! { #(crate::kernel::extract::bucket_names::<#buckets>()),* };
        let buckets = quote! { ("x-buckets" = json!(Vec::<Vec<&'static str>>::from([#buckets]).concat())), };
        let codes = quote! { [#(crate::kernel::problem::ProblemCode::#problems.as_str()),*] as [&str; _] };
        let responses = responses.documented(answer);
        quote! {
            #[::utoipa::path(
                operation_id = #id,
                tag = #tag,
                #security
                params(#(#parameters),*),
                #body
                responses(#responses),
                extensions(#scope #buckets ("x-problems" = json!(#codes))),
            )]
            #[#method(#path)]
            #function
        }
    }
}
