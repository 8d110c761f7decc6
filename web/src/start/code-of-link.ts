/** The code in the fragment of a link from an e-mail; it goes from the address bar and the history. */
export function codeOfLink(): string {
  const code = location.hash.slice(1);
  if (code) history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}
