/** The letters of a code as people type or paste it: with hyphens, in a link, or with what followed it in a sentence. */
export const letters = (typed: string): string => typed.slice(typed.lastIndexOf("/") + 1).replace(/[^0-9a-z]/gi, "").toUpperCase();
/** Letters of the code of a match; those of other codes are more. */
export const joinCodeLength = 8;
