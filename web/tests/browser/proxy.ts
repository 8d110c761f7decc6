// A proxy between the page and the service that at times answers itself, as firewalls, filters, log-in pages and restarting
// load balancers do.
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { origin } from "./support";

type Foreign = (response: ServerResponse) => void;
const page = (text: string): string => `<!doctype html><title>${text}</title><p>${text}</p>`;
const says = (status: number, type: string, body: string, headers: Record<string, string> = {}): Foreign =>
  (response) => { response.writeHead(status, { ...(type ? { "content-type": type } : {}), ...headers }).end(body); };

/** What others answer in the service's place. */
export const foreign: Record<string, Foreign> = {
  "401 of a proxy's own log-in": says(401, "text/html", page("Log in"), { "www-authenticate": "Digest realm=\"club\"" }),
  "403 of a firewall": says(403, "text/html; charset=UTF-8", page("Attention required")),
  "404 while a container restarts": says(404, "text/plain; charset=utf-8", "404 page not found\n"),
  "407 of a proxy": says(407, "text/html", page("Proxy authentication required"), { "proxy-authenticate": "Basic realm=\"school\"" }),
  "a portal's page": says(200, "text/html", page("Welcome to our Wi-Fi")),
  "a redirect to a portal": says(302, "", "", { location: "/portal" }),
  "a redirect elsewhere": says(307, "", "", { location: "https://portal.example/" }),
  "JSON of another program": says(200, "application/json", '{"status":"ok"}'),
  "a problem without a code": says(400, "application/problem+json", '{"type":"about:blank","title":"Bad Request","status":400}'),
  "nothing": says(200, "", ""),
  "503 with a date": (response) => { says(503, "text/html", page("Soon back"), { "retry-after": new Date(Date.now() + 1000).toUTCString() })(response); },
};

export interface Proxy {
  url: string;
  /** How often each was said. */
  said: Map<string, number>;
  /** Which of these a request gets in place of an answer; null: the service answers. */
  instead: (request: IncomingMessage) => string | null;
  /** What the worker's file ends with: another text is another release. */
  release: string;
  stop: () => Promise<void>;
}

/** Passes everything on to client and service, but what `instead` names. */
export async function proxy(instead: Proxy["instead"] = () => null): Promise<Proxy> {
  const said = new Map<string, number>();
  const to = new URL(origin);
  const server: Server = createServer((got, answer) => {
    if (got.url === "/portal") { says(200, "text/html", page("Welcome to our Wi-Fi"))(answer); return; }
    const kind = made.instead(got);
    if (kind !== null) {
      said.set(kind, (said.get(kind) ?? 0) + 1);
      got.resume().once("end", () => { foreign[kind]?.(answer); });
      return;
    }
    const headers = { ...got.headers, host: to.host, ...(got.url === "/sw.js" ? { "accept-encoding": "identity", "if-none-match": "", "if-modified-since": "" } : {}) };
    const onward = request({ host: to.hostname, port: to.port, method: got.method, path: got.url, headers }, (from) => {
      const headers = { ...from.headers };
      if (got.url === "/sw.js") delete headers["content-length"];
      answer.writeHead(from.statusCode ?? 502, headers);
      from.pipe(answer, { end: false });
      from.once("end", () => { answer.end(got.url === "/sw.js" && made.release ? `\n// ${made.release}` : undefined); });
      from.once("error", () => { answer.destroy(); });
    });
    onward.once("error", () => { answer.destroy(); });
    answer.once("close", () => { onward.destroy(); });
    got.pipe(onward);
  });
  await new Promise<void>((resolve) => { server.listen(0, "localhost", resolve); });
  const made: Proxy = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`, said, instead, release: "",
    stop: () => new Promise((resolve) => { server.closeAllConnections(); server.close(() => { resolve(); }); }),
  };
  return made;
}
