/** Characters that no shell reads anything into. */
const PLAIN = /^[\w@%+=:,./-]*$/;

/** `NAME=value`, to be pasted into a shell or a .env: both read single quotes the same. */
export function environmentLine(name: string, value: string): string {
  return PLAIN.test(value) ? `${name}=${value}` : `${name}='${value}'`;
}
