// The narrator: two live regions, one polite, one assertive. `App.svelte` draws them.
export const spokenNow = $state({ polite: "", assertive: "" });
let flip = false;
/** Says a sentence to screen readers. The same one twice is said twice. */
export function say(text: string, urgent = false): void {
  flip = !flip;
  const said = flip ? text : `${text}\u00A0`;
  if (urgent) spokenNow.assertive = said;
  else spokenNow.polite = said;
}
