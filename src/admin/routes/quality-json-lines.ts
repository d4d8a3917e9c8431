/** A file of one JSON value a line, sent page by page: an export may be larger than the memory. */
export async function jsonLines(
  fileName: string,
  pages: AsyncGenerator<readonly object[]>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let page = await pages.next(); // what fails at once is answered as an error
  const body = new ReadableStream({
    async pull(controller) {
      if (page.done) {
        controller.close();
        return;
      }
      const text = page.value.map((row) => `${JSON.stringify(row)}\n`).join("");
      page = await pages.next();
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
    },
  });
}
