// Shows the operations: closed groups, a filter by words, and on a small screen a closed introduction.
const small = window.matchMedia("(max-width: 700px)").matches;

/** The operations whose tag, method, path, name or summary has all words of the filter. */
function byWords(groups, filter) {
  const words = filter.toLowerCase().split(/\s+/);
  const found = (tag) => (entry) => {
    const operation = ["operationId", "summary"].map((field) => entry.getIn(["operation", field]));
    const text = [tag, entry.get("method"), entry.get("path"), ...operation].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group, tag) => group.update("operations", (operations) => operations.filter(found(tag))))
    .filter((group) => group.get("operations").size > 0);
}

/** A filter opens the groups; without one they are closed. */
const updateFilter = (original, system) => (filter) => {
  for (const tag of system.specSelectors.tags()) {
    system.layoutActions.show(["operations-tag", tag.get("name")], Boolean(filter));
  }
  return original(filter);
};

/** A new random key, also on a page without HTTPS. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Each write gets a new key, unless the reader has typed one. */
function withKey(request) {
  const isWrite = request.method && !["GET", "HEAD"].includes(request.method.toUpperCase());
  if (isWrite) request.headers["Idempotency-Key"] ||= newKey();
  return request;
}

/** As the page draws the key, the reader need not type one. It asks the service that it came from. */
const updateJsonSpec = (original) => (spec) => {
  spec.servers = [{ url: "/" }];
  const named = Object.values(spec.components?.parameters ?? {});
  const ofOperations = Object.values(spec.paths ?? {}).flatMap(Object.values).flatMap((one) => one.parameters ?? []);
  for (const parameter of [...named, ...ofOperations]) {
    if (parameter.name === "Idempotency-Key") parameter.required = false;
  }
  return original(spec);
};

/** The introduction, which can be closed. */
const InfoContainer = (Original, { React }) => (props) =>
  React.createElement(
    "details",
    { className: "introduction", open: !small },
    React.createElement("summary", null, "How to use the API"),
    React.createElement(Original, props),
  );

window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#operations",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 1,
  syntaxHighlight: !small,
  validatorUrl: null,
  requestInterceptor: withKey,
  onComplete: () => {
    document.querySelector(".operation-filter-input").placeholder = "Filter by words: join, friends, POST …";
  },
  plugins: [
    {
      fn: { opsFilter: byWords },
      statePlugins: { layout: { wrapActions: { updateFilter } }, spec: { wrapActions: { updateJsonSpec } } },
      wrapComponents: { InfoContainer },
    },
  ],
});
