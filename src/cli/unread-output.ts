/**
 * Whoever reads the output may stop early, as `head` does. What is written then is lost, and the
 * command still does its work to the end, with its own exit code.
 */
export function ignoreUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
}
