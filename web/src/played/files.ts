// Files to keep: the record of a match, the export of the account.
import { exportAccount, getRecord, getRecordText } from "../api/played";

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => { URL.revokeObjectURL(url); }, 10_000);
}
export async function saveRecord(id: string): Promise<void> { save(await getRecord(id), `yaniv-${id}.json`); }
export async function saveRecordText(id: string): Promise<void> { save(await getRecordText(id), `yaniv-${id}.txt`); }
export async function saveExport(): Promise<void> { save(await exportAccount(), "yaniv-export.json"); }
