import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { qr } from "./qr";

/** What a reader of QR codes sees in the drawn modules: four pixels each, with the white edge that the standard asks for. */
function read(text: string): string | null {
  const rows = qr(text);
  const size = (rows.length + 8) * 4;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (rows[Math.floor(y / 4) - 4]?.[Math.floor(x / 4) - 4]) pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  }
  return jsQR(pixels, size, size)?.data ?? null;
}

describe("the QR code", () => {
  it("is read as the text that was drawn", () => {
    for (const text of ["https://yaniv.example/join/ABCDEFGH", "http://localhost:8080/join/7KQ2MX34", `https://${"a".repeat(60)}.example/join/ABCDEFGH`]) expect(read(text)).toBe(text);
  });
  it("is as large as the text needs", () => {
    for (let length = 1; length <= 100; length += 9) expect(read("x".repeat(length))).toBe("x".repeat(length));
  });
});
