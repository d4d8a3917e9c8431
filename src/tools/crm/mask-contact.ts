/** `anna@example.com` → `a***@example.com`: enough for its owner to know it. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf("@");
  return `${address.slice(0, 1)}***${address.slice(at)}`;
}

/** The last digits of a phone. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, "");
  return `***${digits.slice(digits.length > 6 ? -4 : -2)}`;
}
