/** Kinds that a browser shows without running anything; all others are only downloaded. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|video\/mp4|audio\/ogg)$/;

/** A file of the played world for the page. What people upload never becomes a page of its own. */
export function showFile(file: { bytes: Uint8Array; mimeType: string; name?: string }): Response {
  const isShown = SHOWN.test(file.mimeType);
  const name = encodeURIComponent(file.name ?? "file");
  // a copy, because a Buffer may sit on shared memory that a Response does not take
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      "Content-Type": isShown ? file.mimeType : "application/octet-stream",
      "Content-Disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, max-age=3600",
    },
  });
}
