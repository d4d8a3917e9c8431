import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const SOURCE = fileURLToPath(new URL("../../../src/", import.meta.url));

/**
 * What runs beside the product, or only when a person types a command in the host's shell. The evals'
 * lab plays in a process of its own, on a database in memory that goes with it.
 */
const APART =
  /^(sandbox|cli|admin)\/|^(cli|config|variables)\.ts$|^quality\/evals\/lab\.ts$|\.d\.ts$/;

/** Each opens a transaction and commits it. */
const TRANSACTIONS = ["withTenant", "withTenantRetried", "withSystem", "withOwner"];

/** Everything outside is reached through a method of one of these. */
const PORTS = [
  { file: "domain/messenger.ts", name: "Messenger" },
  { file: "domain/chat-model.ts", name: "ChatModel" },
  { file: "tools/contract.ts", name: "RagTool" },
];

/** Who calls the ports. */
const CALLERS = /^(engine|outbound|desk|tools)\//;

export interface FaultPoint {
  /** `engine/round.ts playRound withTenant`; of several alike, the later ones are numbered. */
  name: string;
  start: number;
  end: number;
}

/** Every commit boundary and every call outside of the product's own code, found in the code. */
export function allFaultPoints(): string[] {
  return filesOf(SOURCE)
    .filter((file) => /\.tsx?$/.test(file) && !isApart(file))
    .flatMap((file) => faultPointsIn(file, readFileSync(join(SOURCE, file), "utf8")))
    .map(({ name }) => name);
}

/** Paths within a folder, with slashes. */
export function filesOf(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** Beside the product: nothing of the file is a fault point. */
export function isApart(file: string): boolean {
  return APART.test(file);
}

export function faultPointsIn(file: string, code: string): FaultPoint[] {
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
  const counts = new Map<string, number>();
  const points: FaultPoint[] = [];
  const visit = (node: ts.Node): void => {
    const callee = ts.isCallExpression(node) ? calleeOf(file, node) : null;
    if (callee !== null) {
      const base = `${file} ${enclosingName(node)} ${callee}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      const name = count === 1 ? base : `${base} ${count}`;
      points.push({ name, start: node.getStart(tree), end: node.getEnd() });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return points;
}

function calleeOf(file: string, call: ts.CallExpression): string | null {
  const { expression } = call;
  if (ts.isIdentifier(expression))
    return TRANSACTIONS.includes(expression.text) ? expression.text : null;
  if (!ts.isPropertyAccessExpression(expression) || !CALLERS.test(file)) return null;
  return portMethods().has(expression.name.text) ? expression.name.text : null;
}

let methods: Set<string> | undefined;

function portMethods(): Set<string> {
  methods ??= new Set(PORTS.flatMap(({ file, name }) => methodsOf(file, name)));
  return methods;
}

/** Methods that answer later; the others reach nobody. */
function methodsOf(file: string, name: string): string[] {
  const code = readFileSync(join(SOURCE, file), "utf8");
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
  const port = tree.statements.find(
    (one): one is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(one) && one.name.text === name,
  );
  if (!port) throw new Error(`${file} has no interface ${name}`);
  return port.members.filter(ts.isMethodSignature).flatMap((member) => {
    const takesTransaction = member.parameters[0]?.type?.getText(tree) === "Tx";
    const isLater = member.type?.getText(tree).startsWith("Promise<") ?? false;
    return isLater && !takesTransaction ? [member.name.getText(tree)] : [];
  });
}

/** The nearest function with a name of its own. */
function enclosingName(node: ts.Node): string {
  for (let at: ts.Node = node.parent; at; at = at.parent) {
    if (ts.isFunctionDeclaration(at) && at.name) return at.name.text;
    if (ts.isMethodDeclaration(at)) return at.name.getText();
    const isFunction = ts.isArrowFunction(at) || ts.isFunctionExpression(at);
    if (!isFunction || !at.parent) continue;
    if (ts.isVariableDeclaration(at.parent)) return at.parent.name.getText();
    if (ts.isPropertyAssignment(at.parent)) return at.parent.name.getText();
  }
  return "(module)";
}
