import { connect } from "node:net";

// biome-ignore lint/style/noProcessEnv: the runner of the tests names the server
export const REDIS = process.env.TEST_REDIS_URL || "redis://127.0.0.1:6379";

/** Does a server answer there? Tests that need it are skipped with a plain line when not. */
export function answersRedis(): Promise<boolean> {
  const { hostname, port } = new URL(REDIS);
  return new Promise((resolve) => {
    const socket = connect(Number(port) || 6379, hostname);
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(2000, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
