import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadConfig } from "../../src/config.ts";
import { VARIABLES } from "../../src/variables.ts";

const packageJson = JSON.parse(readFileSync("package.json", "utf8"));

const serviceSchema = z.object({
  image: z.string(),
  build: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
});

describe("the Dockerfile", () => {
  const text = readFileSync("Dockerfile", "utf8");
  const steps = text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/));
  const of = (word: string) => steps.filter(([first]) => first === word);
  const stages = steps.reduce<string[][][]>((all, step) => {
    if (step[0] === "FROM") all.push([]);
    all.at(-1)?.push(step);
    return all;
  }, []);
  const last = stages.at(-1) ?? [];

  it("runs on the Node that the package wants", () => {
    const [major] = /\d+/.exec(packageJson.engines.node) ?? [];
    for (const [, image] of of("FROM")) expect(image).toMatch(new RegExp(`^node:${major}-.*slim$`));
  });

  it("copies only what exists and what .dockerignore lets in", () => {
    const ignore = readFileSync(".dockerignore", "utf8").split("\n");
    expect(ignore).toContain("*");
    const sources = of("COPY")
      .filter((step) => !step.some((word) => word.startsWith("--from")))
      .flatMap((step) => step.slice(1, -1))
      .map((source) => source.replace("./", ""));
    for (const source of sources) {
      expect(existsSync(source)).toBe(true);
      expect(ignore).toContain(`!${source}`);
    }
    const allowed = ignore.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect(new Set(allowed)).toEqual(new Set(sources));
  });

  it("copies between its stages what they make", () => {
    const names = of("FROM").map((step) => step[3]);
    const from = of("COPY").flatMap((step) => step.filter((word) => word.startsWith("--from")));
    for (const word of from) expect(names).toContain(word.replace("--from=", ""));
  });

  it("builds by the package's own scripts", () => {
    const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(scripts).toEqual(["build"]);
    const used = [...packageJson.scripts.build.matchAll(/scripts\/\S+\.ts/g)].map(([file]) => file);
    for (const file of used) expect(of("COPY").map((step) => step[1])).toContain(file);
  });

  it("ends with what the program needs beside itself, and without what only its making needs", () => {
    const copied = last.filter(([word]) => word === "COPY").map((step) => step.at(-1));
    expect(copied.toSorted()).toEqual(
      ["./package.json", "./node_modules", "./dist", "./migrations", "./examples"].toSorted(),
    );
    expect(text).toContain("npm ci --omit=dev");
  });

  it("runs the program as nobody special, asks it for its health, and hands it signals", () => {
    const words = last.map(([word]) => word);
    expect(last.find(([word]) => word === "USER")).toEqual(["USER", "node"]);
    expect(words.indexOf("USER")).toBeLessThan(words.lastIndexOf("CMD"));
    expect(last.at(-1)?.join(" ")).toBe('CMD ["node", "dist/main.js"]');
    expect(last.find(([word]) => word === "HEALTHCHECK")?.join(" ")).toContain("/healthz");
  });
});

describe("docker-compose.yml", () => {
  const raw = readFileSync("docker-compose.yml", "utf8");
  const compose = composeSchema.parse(parse(raw, { merge: true }));
  const { services } = compose;
  const bots = Object.entries(services).filter(([, service]) => service.build !== undefined);
  const filled = (environment: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replace(/\$\{POSTGRES_PASSWORD:[^}]*\}/, "secret")
          .replace(/\$\{MASTER_KEY:[^}]*\}/, "ab".repeat(32)),
      ]),
    );

  it("has a database with vectors, Redis, a process for events and one that works", () => {
    const images = Object.entries(services).map(([name, { image }]) => [name, image]);
    expect(images).toEqual([
      ["postgres", "pgvector/pgvector:pg16"],
      ["redis", "redis:7-alpine"],
      ["web", "countersign"],
      ["worker", "countersign"],
    ]);
    expect(bots.map(([, { environment }]) => environment.ROLE)).toEqual(["web", "worker"]);
  });

  it("sets only variables that the program reads, to values with which it starts", () => {
    for (const [name, { environment }] of bots) {
      expect(Object.keys(environment).filter((one) => !Object.hasOwn(VARIABLES, one))).toEqual([]);
      const config = loadConfig({
        ...filled(environment),
        ...{ TELEGRAM_BOT_TOKEN: "123456:abcdefghijkl", OPENAI_API_KEY: "key" },
      });
      expect(config).toMatchObject({ role: name, sandbox: false, host: "0.0.0.0" });
      expect(config.databaseUrl).toBe("postgres://countersign:secret@postgres:5432/countersign");
      expect(config.redisUrl).toBe("redis://redis:6379");
    }
  });

  it("takes secrets from .env and refuses to go without them", () => {
    for (const [, service] of bots) expect(service.env_file).toBe(".env");
    const secrets = [...raw.matchAll(/(MASTER_KEY|POSTGRES_PASSWORD): (\S+)/g)];
    expect(secrets.length).toBeGreaterThan(1);
    for (const [, name, value] of secrets) expect(value?.startsWith(`\${${name}:?`)).toBe(true);
  });

  it("starts the bot when what it needs is healthy", () => {
    for (const [, service] of bots) {
      expect(service.depends_on).toEqual({
        postgres: { condition: "service_healthy" },
        redis: { condition: "service_healthy" },
      });
      for (const name of Object.keys(service.depends_on))
        expect(services[name]?.healthcheck?.test[0]).toBe("CMD");
    }
  });

  it("publishes the port that the program listens on, to this machine only", () => {
    const { web, worker, postgres, redis } = services;
    expect(web?.ports).toEqual([`127.0.0.1:3000:${web?.environment.PORT}`]);
    for (const inner of [worker, postgres, redis]) expect(inner?.ports).toEqual([]);
  });

  it("keeps what must survive in volumes that exist", () => {
    const used = Object.values(services).flatMap(({ volumes }) => volumes);
    expect(used.map((volume) => volume.split(":")[0]).toSorted()).toEqual(
      Object.keys(compose.volumes).toSorted(),
    );
    for (const [, { environment, volumes }] of bots)
      expect(volumes.map((volume) => volume.split(":")[1])).toContain(environment.DATA_DIR);
  });
});
