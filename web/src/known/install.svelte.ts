// Putting the app on the home screen: by the browser's own offer, which comes early and is kept, or by hand on iOS.
interface Offer extends Event { prompt(): Promise<unknown> }
let offer = $state.raw<Offer | null>(null);

addEventListener("beforeinstallprompt", (event) => { event.preventDefault(); offer = event as Offer; });
addEventListener("appinstalled", () => { offer = null; });

const apple = /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
/** `hand`: the player has to do it. */
export const installable = (): "offer" | "hand" | null => (offer ? "offer" : apple && !matchMedia("(display-mode: standalone)").matches ? "hand" : null);
/** An offer holds once. */
export async function install(): Promise<void> {
  const once = offer;
  offer = null;
  await once?.prompt();
}
