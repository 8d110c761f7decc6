// Draws the app's icons: an SVG, and PNGs of the sizes that phones ask for. No image library: signed distances
// with 4×4 samples a pixel, and the PNG written by hand.
import { mkdirSync, writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const out = new URL("../public/icons/", import.meta.url);
mkdirSync(out, { recursive: true });

const green = [11, 93, 59], cream = [255, 253, 247], ink = [20, 23, 28], red = [176, 15, 42];

/** Rounded rectangle around (cx, cy), turned by `angle` degrees. */
const card = (cx, cy, w, h, r, angle) => (x, y) => {
  const a = (-angle * Math.PI) / 180, dx = x - cx, dy = y - cy;
  const px = Math.abs(dx * Math.cos(a) - dy * Math.sin(a)) - w / 2 + r;
  const py = Math.abs(dx * Math.sin(a) + dy * Math.cos(a)) - h / 2 + r;
  return Math.hypot(Math.max(px, 0), Math.max(py, 0)) + Math.min(Math.max(px, py), 0) <= r;
};
/** Heart around (cx, cy), of half the width s. */
const heart = (cx, cy, s) => (x, y) => {
  const u = (x - cx) / s, v = (cy - y) / s + 0.1;
  return (u * u + v * v - 0.62) ** 3 - u * u * v * v * v <= 0;
};
/** Thick line. */
const stroke = (x1, y1, x2, y2, w) => (x, y) => {
  const t = Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)));
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1)) <= w / 2;
};

// Coordinates in a square of 100. `scale` shrinks the drawing for the safe zone of maskable icons.
function layers(scale) {
  const s = (value) => 50 + (value - 50) * scale;
  const k = scale;
  return [
    [card(s(38), s(52), 40 * k, 58 * k, 6 * k, -12), [209, 224, 214]],
    [card(s(60), s(50), 42 * k, 60 * k, 6 * k, 8), cream],
    [stroke(s(51), s(30), s(61), s(44), 6 * k), ink],
    [stroke(s(73), s(33), s(61), s(44), 6 * k), ink],
    [stroke(s(61), s(44), s(59), s(57), 6 * k), ink],
    [heart(s(57.5), s(69), 9 * k), red],
  ];
}

function png(size, pixel) {
  const raw = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const sum = [0, 0, 0, 0];
      for (let i = 0; i < 16; i++) {
        const [r, g, b, a] = pixel(((x + (i % 4) / 4 + 0.125) / size) * 100, ((y + Math.floor(i / 4) / 4 + 0.125) / size) * 100);
        sum[0] += r * a; sum[1] += g * a; sum[2] += b * a; sum[3] += a;
      }
      const at = y * (size * 4 + 1) + 1 + x * 4;
      for (let c = 0; c < 3; c++) raw[at + c] = sum[3] ? Math.round(sum[c] / sum[3]) : 0;
      raw[at + 3] = Math.round((sum[3] / 16) * 255);
    }
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4), check = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body) >>> 0);
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(raw, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function icon(size, background, scale) {
  const drawing = layers(scale);
  return png(size, (x, y) => {
    let color = background(x, y) ? [...green, 1] : [0, 0, 0, 0];
    for (const [inside, paint] of drawing) if (inside(x, y)) color = [...paint, 1];
    return color;
  });
}
const rounded = card(50, 50, 100, 100, 22, 0);
const whole = () => true;
writeFileSync(new URL("icon-192.png", out), icon(192, rounded, 1));
writeFileSync(new URL("icon-512.png", out), icon(512, rounded, 1));
writeFileSync(new URL("icon-180.png", out), icon(180, whole, 0.95));
writeFileSync(new URL("maskable-512.png", out), icon(512, whole, 0.72));
// Badge of notices: only its alpha is used.
const badge = card(50, 50, 60, 86, 9, 0), hole = heart(50, 50, 20);
writeFileSync(new URL("badge-96.png", out), png(96, (x, y) => (badge(x, y) && !hole(x, y) ? [255, 255, 255, 1] : [0, 0, 0, 0])));
writeFileSync(
  new URL("icon.svg", out),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" rx="22" fill="#0b5d3b"/><rect x="18" y="23" width="40" height="58" rx="6" fill="#d1e0d6" transform="rotate(-12 38 52)"/><rect x="39" y="20" width="42" height="60" rx="6" fill="#fffdf7" transform="rotate(8 60 50)"/><path d="M51 30l10 14 12-11M61 44l-2 13" fill="none" stroke="#14171c" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/><path d="M57 76c-5-4-9-7-8.500-11a4.500 4.500 0 0 1 8.600-1 4.500 4.500 0 0 1 8.600 1C66 69 62 72 57 76z" fill="#b00f2a"/></svg>\n`,
);
