/** Sheets of a match. */
export type MenuSheet = "menu" | "rules" | "scores" | "log" | "plan" | "words";
