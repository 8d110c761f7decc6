// What a failure is called on the screen: our sentence by code, otherwise by status.
import { NoAnswer, Problem } from "../api/client";
import { known, t } from "../i18n/index.svelte";

export function problemText(error: unknown): string {
  if (error instanceof NoAnswer) return t("error.offline");
  if (error instanceof Problem) {
    const own = known(`error.${error.code}`, "");
    if (own) return own;
    const fields = error.fields.map((field) => `${field.name}: ${field.detail}`).join("; ");
    if (error.status === 422 && fields) return fields;
    if (error.status === 401) return t("error.session");
    if (error.status === 429) return t("error.busy");
    if (error.status >= 500) return t("error.service");
    return error.detail || t("error.other");
  }
  return t("error.other");
}
